import type { Expr } from '../syntax/tree.ts';
import type { ExprType } from '../type-system/expr-type.ts';
import type { Node } from './frame.ts';

/** Context for compiling a node. */
export interface Scope {
  /** The source of the expression, for failures that show parts of it. */
  readonly source: string;
  /** The comprehension variables, outermost first: the position is the slot of the value. */
  readonly locals: readonly string[];
  /** Compiles a part; `target` is the type expected by its context, null for any. */
  readonly compile: (expr: Expr, target: ExprType | null, scope: Scope) => Node;
}
