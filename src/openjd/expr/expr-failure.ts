import type { SourceSpan } from './syntax/tree.ts';

/** Maximum length of a message, in characters: quoted values may make it longer. */
const MAX_MESSAGE = 2000;

/**
 * Failure of an expression. It is thrown only inside src/openjd/expr: callers outside get it as a result. The innermost
 * evaluated node adds the position.
 */
export class ExprFailure extends Error {
  readonly place: SourceSpan | null;
  /** Set if an evaluation limit was exceeded: then no other branch of the expression is tried. */
  readonly exhausted: boolean;

  constructor(message: string, place: SourceSpan | null = null, exhausted = false) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.name = 'ExprFailure';
    this.place = place;
    this.exhausted = exhausted;
  }

  /** Returns the failure with this position, unless it already has one. */
  at(place: SourceSpan): ExprFailure {
    return this.place === null ? new ExprFailure(this.message, place, this.exhausted) : this;
  }
}
