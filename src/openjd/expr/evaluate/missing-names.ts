import type { ExprFailure } from '../expr-failure.ts';
import { FUNCTIONS } from '../functions/library.ts';
import { childrenOf } from '../syntax/children.ts';
import type { CallExpr, Expr, MethodExpr } from '../syntax/tree.ts';
import type { Value } from '../values/value.ts';
import { shadowing } from './collections.ts';
import type { HostFunctions } from './frame.ts';
import { unknownFunction } from './mismatch.ts';
import { dottedName, undefinedName } from './names.ts';

/**
 * Returns the failure of the first undefined name of an expression, or null.
 *
 * A name is undefined if there is no such symbol or function, or if it is a comprehension variable that hides a symbol.
 * Unlike evaluation this also examines parts that are not evaluated, and branches whose failure does not matter (RFC
 * 0005, "Validation with Symbol Collection").
 */
export function missingName(
  expr: Expr,
  symbols: ReadonlyMap<string, Value>,
  host: HostFunctions,
  bound: readonly string[] = [],
): ExprFailure | null {
  switch (expr.kind) {
    case 'name':
    case 'attribute': {
      const dotted = dottedName(expr);
      if (dotted === null) break;
      let symbol = '';
      for (const { name } of dotted.parts) {
        if (symbol === '' && bound.includes(name)) return null;
        symbol = symbol === '' ? name : `${symbol}.${name}`;
        if (symbols.has(symbol)) return null;
      }
      return undefinedName(symbol, [...bound, ...symbols.keys()], null).at({ ...expr, caret: expr.start });
    }
    case 'call':
    case 'method': {
      const unknown = unknownCall(expr, host);
      if (unknown !== null) return unknown;
      break;
    }
    case 'comprehension': {
      const { variable, variablePlace, iterable, element, filter } = expr;
      if (symbols.has(variable)) return shadowing(variable, variablePlace);
      const within = [...bound, variable];
      return (
        missingName(iterable, symbols, host, bound) ??
        missingName(element, symbols, host, within) ??
        (filter === null ? null : missingName(filter, symbols, host, within))
      );
    }
    default:
  }
  for (const child of childrenOf(expr)) {
    const missing = missingName(child, symbols, host, bound);
    if (missing !== null) return missing;
  }
  return null;
}

function unknownCall(expr: CallExpr | MethodExpr, host: HostFunctions): ExprFailure | null {
  const called = FUNCTIONS.get(expr.name);
  const exists =
    called !== undefined && !called.name.startsWith('__') && (!called.hostOnly || host !== 'none');
  return exists ? null : unknownFunction(expr.name, expr.kind === 'method', host !== 'none', null).at(expr);
}
