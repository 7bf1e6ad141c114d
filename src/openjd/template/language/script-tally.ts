import { EXPR_LIMITS, EXPRESSIONS_TOGETHER, type ExprLimits } from '../../expr/expr-limits.ts';

/**
 * Limits of all format strings of one action, or all variables of one environment, together. Each string has its own
 * limits, but a script may have any number of strings, and the worker has other tasks to run.
 */
export const SCRIPT_LIMITS = {
  /** With the limits of a service; otherwise `EXPRESSIONS_TOGETHER` times the limit of one expression. */
  operations: EXPRESSIONS_TOGETHER * EXPR_LIMITS.operations,
  /** Characters (UTF-16 units) of the resolved texts: as many as one string may have. */
  characters: 10_000_000,
} as const;

/** Adds up the cost of the format strings of a script. */
export class ScriptTally {
  readonly #most: number;
  #operations = 0;
  #characters = 0;

  /** `limits`: those of one expression. */
  constructor({ operations }: ExprLimits = EXPR_LIMITS) {
    this.#most = EXPRESSIONS_TOGETHER * operations;
  }

  /** Adds resolved texts and the operations that they took. Returns an error text if a limit is exceeded, or null. */
  exceededBy(operations: number, texts: readonly string[]): string | null {
    this.#operations += operations;
    for (const text of texts) this.#characters += text.length;
    if (this.#operations > this.#most) {
      return `its expressions take more than ${this.#most} operations together`;
    }
    if (this.#characters > SCRIPT_LIMITS.characters) {
      return `its texts have more than ${SCRIPT_LIMITS.characters} characters together`;
    }
    return null;
  }
}
