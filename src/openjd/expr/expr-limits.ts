/**
 * Limits of one evaluation (docs/contract/limits.md#expressions-and-templates; specification "Expression Language",
 * sections 1.3.9 and 1.3.10).
 */
export interface ExprLimits {
  /** Bytes of all live values, as counted by `sizeOf`. */
  readonly memory: number;
  readonly operations: number;
}

/**
 * Memory is the contract's default. One operation takes about 100 ns at most, so that the operations limit any
 * evaluation to a tenth of a second (docs/decisions/expression-limits.md).
 */
export const EXPR_LIMITS: ExprLimits = { memory: 1_000_000, operations: 500_000 };

/** Limits that the specification recommends: those of the commands that work on this machine alone. */
export const LOCAL_EXPR_LIMITS: ExprLimits = { memory: 100_000_000, operations: 10_000_000 };

/**
 * Maximum number of operations of all evaluations in one pass over a template, about a second. Each evaluation counts
 * `OPERATIONS_PER_EVALUATION` in addition. A submission has two passes: the check and the creation of the job.
 */
export const MAX_TEMPLATE_OPERATIONS = 10_000_000;

/** All expressions of a template, or of a script, may take at least this multiple of the operations of one. */
export const EXPRESSIONS_TOGETHER = 10;

/** Operations that take about as long as starting and ending an evaluation. */
export const OPERATIONS_PER_EVALUATION = 20;

/** Memory of one expression on a worker that does not support expressions. */
export const NO_EXPRESSIONS = 0;

/** Maximum of `openjd.expr_memory_limit`, in bytes: bounds the memory of one thread of the service or worker. */
export const EXPR_MEMORY_MAX = 1_000_000_000;

/** Maximum length of a string, in UTF-8 bytes, independent of the other limits. */
export const MAX_STRING_BYTES = 10_000_000;

/** Maximum nesting of an expression; deeper ones are rejected before evaluation. */
export const MAX_EXPRESSION_DEPTH = 64;

/** Maximum length of the source of one expression, in UTF-8 bytes. */
export const MAX_SOURCE_BYTES = 65_536;

/** Maximum number of comma-separated parts in the text of one range_expr. */
export const MAX_RANGE_PARTS = 10_000;
