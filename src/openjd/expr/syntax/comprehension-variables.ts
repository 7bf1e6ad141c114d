import { ExprFailure } from '../expr-failure.ts';
import { childrenOf } from './children.ts';
import type { Expr } from './tree.ts';

/** A name that no symbol of the specification can have (section 1.3.7). */
const USER_IDENTIFIER = /^[a-z_]/;

/** Fails if a comprehension variable has an invalid name, or the name of an enclosing one. */
export function checkVariables(expr: Expr, bound: readonly string[] = []): void {
  if (expr.kind !== 'comprehension') {
    for (const child of childrenOf(expr)) checkVariables(child, bound);
    return;
  }
  const { variable, variablePlace } = expr;
  if (!USER_IDENTIFIER.test(variable)) {
    throw new ExprFailure(
      `Loop variable '${variable}' must start with a lowercase letter or an underscore`,
      variablePlace,
    );
  }
  if (bound.includes(variable)) {
    throw new ExprFailure(`Loop variable '${variable}' shadows an existing variable`, variablePlace);
  }
  const within = [...bound, variable];
  checkVariables(expr.element, within);
  checkVariables(expr.iterable, bound);
  if (expr.filter !== null) checkVariables(expr.filter, within);
}
