import type { SourceSpan } from './syntax/tree.ts';

/** Characters of a message: one that quotes a value is cut. */
const MAX_MESSAGE = 2000;

/**
 * Why an expression has no value. Thrown inside src/openjd/expr alone: what evaluates an expression for others gives it as a result. The message
 * has no place at first; the innermost node that was evaluated adds its own.
 */
export class ExprFailure extends Error {
  readonly place: SourceSpan | null;
  /** Whether a limit of evaluation was exceeded: no other branch of the expression can save it. */
  readonly exhausted: boolean;

  constructor(message: string, place: SourceSpan | null = null, exhausted = false) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.name = 'ExprFailure';
    this.place = place;
    this.exhausted = exhausted;
  }

  /** The same failure at a place, unless it has one. */
  at(place: SourceSpan): ExprFailure {
    return this.place === null ? new ExprFailure(this.message, place, this.exhausted) : this;
  }
}
