import { childrenOf } from './children.ts';
import type { AttributeExpr, Expr, NameExpr } from './tree.ts';

/** References of an expression (section "ParsedExpression"). */
export interface References {
  /** Dotted names in full length, including properties (`Param.File.stem`), without comprehension variables. */
  readonly symbols: ReadonlySet<string>;
  /** Functions and methods that it calls, by name. */
  readonly functions: ReadonlySet<string>;
  /** The variables of its comprehensions. */
  readonly variables: ReadonlySet<string>;
}

export function referencesOf(expr: Expr): References {
  const found = { symbols: new Set<string>(), functions: new Set<string>(), variables: new Set<string>() };
  collect(expr, [], found);
  return found;
}

interface Found {
  readonly symbols: Set<string>;
  readonly functions: Set<string>;
  readonly variables: Set<string>;
}

function collect(expr: Expr, bound: readonly string[], found: Found): void {
  if (expr.kind === 'name' || expr.kind === 'attribute') {
    const parts = nameParts(expr);
    if (parts !== null) {
      if (!bound.includes(parts[0] ?? '')) found.symbols.add(parts.join('.'));
      return;
    }
  }
  if (expr.kind === 'call' || expr.kind === 'method') found.functions.add(expr.name);
  if (expr.kind === 'comprehension') {
    found.variables.add(expr.variable);
    const within = [...bound, expr.variable];
    collect(expr.iterable, bound, found);
    collect(expr.element, within, found);
    if (expr.filter !== null) collect(expr.filter, within, found);
    return;
  }
  for (const child of childrenOf(expr)) collect(child, bound, found);
}

/** Returns the parts of a dotted name; null for an attribute of any other expression. */
function nameParts(expr: NameExpr | AttributeExpr): readonly string[] | null {
  const parts: string[] = [];
  let at: Expr = expr;
  while (at.kind === 'attribute') {
    parts.push(at.name);
    at = at.base;
  }
  if (at.kind !== 'name') return null;
  parts.push(at.name);
  return parts.reverse();
}
