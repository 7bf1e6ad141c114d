import { ExprFailure } from '../expr-failure.ts';
import { MAX_EXPRESSION_DEPTH } from '../expr-limits.ts';
import type { Expr, SourceSpan } from './tree.ts';

/** A part of an expression while it is read. `start` and `end` have its parentheses within; its expression has not. */
export interface Parsed {
  readonly expr: Expr;
  readonly start: number;
  readonly end: number;
  /** Expressions within expressions, itself among them. */
  readonly depth: number;
}

/** The part that an expression makes of `levels` more levels than the deepest of its parts has. Fails when these are too many. */
export function parsed(expr: Expr, parts: readonly Parsed[], levels = 1): Parsed {
  let depth = levels;
  for (const part of parts) depth = Math.max(depth, part.depth + levels);
  if (depth > MAX_EXPRESSION_DEPTH) throw tooDeep(expr, MAX_EXPRESSION_DEPTH);
  return { expr, start: expr.start, end: expr.end, depth };
}

export const tooDeep = ({ start, end, caret }: SourceSpan, limit: number): ExprFailure =>
  new ExprFailure(`Expression is nested too deeply: more than ${limit} levels`, { start, end, caret });

/**
 * What Python has and this language has not, found while a source is read: reading goes on, for faults of syntax come first, and of what is within
 * something refused the outer thing is told. (Two that stand side by side: the first.)
 */
export class Refusals {
  #first: ExprFailure | null = null;

  /** Notes the message; gives a part for what is read there. */
  add(message: string, place: SourceSpan, parts: readonly Parsed[] = []): Parsed {
    const before = this.#first?.place ?? null;
    if (before === null || (before.start >= place.start && before.end <= place.end)) {
      this.#first = new ExprFailure(message, place);
    }
    return parsed({ ...place, kind: 'literal', value: null }, parts);
  }

  /** Fails when something was refused. */
  check(): void {
    if (this.#first !== null) throw this.#first;
  }
}
