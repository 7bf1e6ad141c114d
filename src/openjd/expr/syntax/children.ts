import type { Expr } from './tree.ts';

/** Returns the direct subexpressions, in the order of the source. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'attribute':
      return [expr.base];
    case 'call':
      return expr.args;
    case 'method':
      return [expr.receiver, ...expr.args];
    case 'unary':
      return [expr.operand];
    case 'binary':
      return [expr.left, expr.right];
    case 'compare':
      return [expr.first, ...expr.rest.map(({ operand }) => operand)];
    case 'logical':
      return expr.operands;
    case 'conditional':
      return [expr.then, expr.condition, expr.otherwise];
    case 'list':
      return expr.items;
    case 'comprehension':
      return [expr.element, expr.iterable, ...(expr.filter === null ? [] : [expr.filter])];
    case 'subscript':
      return [expr.base, expr.index];
    case 'slice':
      return [expr.base, expr.lower, expr.upper, expr.step].filter((part) => part !== null);
  }
}
