import { ExprFailure } from '../expr-failure.ts';
import { MAX_EXPRESSION_DEPTH } from '../expr-limits.ts';
import type { Expr, SourceSpan } from './tree.ts';

/** A parsed part of an expression. `start` and `end` include its parentheses; those of its expression do not. */
export interface Parsed {
  readonly expr: Expr;
  readonly start: number;
  readonly end: number;
  /** Nesting depth, including itself. */
  readonly depth: number;
}

/**
 * Returns the part of an expression that adds `levels` to the depth of its deepest part. Fails if it is nested too
 * deeply.
 */
export function parsed(expr: Expr, parts: readonly Parsed[], levels = 1): Parsed {
  let depth = levels;
  for (const part of parts) depth = Math.max(depth, part.depth + levels);
  if (depth > MAX_EXPRESSION_DEPTH) throw tooDeep(expr, MAX_EXPRESSION_DEPTH);
  return { expr, start: expr.start, end: expr.end, depth };
}

export const tooDeep = ({ start, end, caret }: SourceSpan, limit: number): ExprFailure =>
  new ExprFailure(`Expression is nested too deeply: more than ${limit} levels`, { start, end, caret });

/**
 * Python syntax that this language does not have, collected during parsing. Parsing continues, because syntax errors
 * take precedence. Of nested refusals the outer one is reported, of adjacent ones the first.
 */
export class Refusals {
  #first: ExprFailure | null = null;

  /** Adds a message and returns a placeholder part. */
  add(message: string, place: SourceSpan, parts: readonly Parsed[] = []): Parsed {
    const before = this.#first?.place ?? null;
    if (before === null || (before.start >= place.start && before.end <= place.end)) {
      this.#first = new ExprFailure(message, place);
    }
    return parsed({ ...place, kind: 'literal', value: null }, parts);
  }

  /** Fails if something was refused. */
  check(): void {
    if (this.#first !== null) throw this.#first;
  }
}
