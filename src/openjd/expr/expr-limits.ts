/**
 * What one evaluation may take (docs/contract/limits.md#expressions-and-templates; specification "Expression Language",
 * sections 1.3.9 and 1.3.10).
 */
export interface ExprLimits {
  /** Bytes of the values that are alive at one time, as `sizeOf` counts them. */
  readonly memory: number;
  readonly operations: number;
}

/**
 * Memory is the contract's default. One operation takes at most some 100 ns, so that the operations keep any evaluation below a tenth of a second
 * (docs/decisions/expression-limits.md).
 */
export const EXPR_LIMITS: ExprLimits = { memory: 1_000_000, operations: 500_000 };

/** Memory that a worker grants one expression when it knows nothing of expressions. */
export const NO_EXPRESSIONS = 0;

/** `openjd.expr_memory_limit` is no higher: it bounds what one thread of the service or a worker may need. Bytes. */
export const EXPR_MEMORY_MAX = 1_000_000_000;

/** No string is ever longer, whatever the limits say. UTF-8 bytes. */
export const MAX_STRING_BYTES = 10_000_000;

/** Nested expressions; more is refused before it is evaluated. */
export const MAX_EXPRESSION_DEPTH = 64;

/** UTF-8 bytes of the source of one expression. */
export const MAX_SOURCE_BYTES = 65_536;

/** Comma-separated parts of the text of one range_expr. */
export const MAX_RANGE_PARTS = 10_000;
