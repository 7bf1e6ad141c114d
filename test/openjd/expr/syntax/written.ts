import type { Expr } from '../../../../src/openjd/expr/syntax/tree.ts';
import type { Value } from '../../../../src/openjd/expr/values/value.ts';

/** Formats a tree as nested lists in parentheses. */
export function shape(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return literal(expr.value);
    case 'name':
      return expr.name;
    case 'attribute':
      return `(. ${shape(expr.base)} ${expr.name})`;
    case 'call':
      return list(['call', expr.name, ...expr.args.map(shape)]);
    case 'method':
      return list(['method', expr.name, shape(expr.receiver), ...expr.args.map(shape)]);
    case 'unary':
      return `(${expr.operator} ${shape(expr.operand)})`;
    case 'binary':
      return `(${expr.operator} ${shape(expr.left)} ${shape(expr.right)})`;
    case 'compare':
      return list([
        'compare',
        shape(expr.first),
        ...expr.rest.flatMap(({ operator, operand }) => [operator, shape(operand)]),
      ]);
    case 'logical':
      return list([expr.operator, ...expr.operands.map(shape)]);
    case 'conditional':
      return `(if ${shape(expr.condition)} ${shape(expr.then)} ${shape(expr.otherwise)})`;
    case 'list':
      return `[${expr.items.map(shape).join(' ')}]`;
    case 'comprehension':
      return list([
        'for',
        shape(expr.element),
        expr.variable,
        shape(expr.iterable),
        ...(expr.filter === null ? [] : [shape(expr.filter)]),
      ]);
    case 'subscript':
      return `(at ${shape(expr.base)} ${shape(expr.index)})`;
    case 'slice':
      return list([
        'slice',
        shape(expr.base),
        ...[expr.lower, expr.upper, expr.step].map((part) => (part === null ? '_' : shape(part))),
      ]);
  }
}

function literal(value: Value): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) {
    if (value.kind === 'float') return `${value.value}/${value.text}`;
    throw new Error('a literal cannot have this value');
  }
  return JSON.stringify(value);
}

const list = (parts: readonly string[]): string => `(${parts.join(' ')})`;
