import { boolValue } from '../values/arguments.ts';
import { equals, noOrder, order } from '../values/compare.ts';
import { typeOf, type Value } from '../values/value.ts';
import {
  BOOL,
  alternatives,
  resolvedType,
  type ExprType,
  type ResolvedType,
} from '../type-system/expr-type.ts';
import type { Call } from './call.ts';
import { signature, type FunctionGroup, type Inference, type Run } from './signature.ts';

type Holds = (order: -1 | 0 | 1) => boolean;

const ordering =
  (operator: string, holds: Holds): Run =>
  (call: Call, a: Value, b: Value) => {
    const found = order(a, b, call);
    if (found === null) throw noOrder(operator, typeOf(a).text, typeOf(b).text);
    return holds(found);
  };

/** Types that can be ordered: the types of one row with each other. */
const ORDERED: readonly ReadonlySet<ResolvedType['kind']>[] = [
  new Set(['int', 'float']),
  new Set(['string', 'path']),
  new Set(['bool']),
  new Set(['list']),
];

function haveOrder(a: ExprType, b: ExprType): boolean {
  return alternatives(resolvedType(a)).some((one) =>
    alternatives(resolvedType(b)).some(
      (other) =>
        one.kind === 'any' ||
        other.kind === 'any' ||
        ORDERED.some((row) => row.has(one.kind) && row.has(other.kind)),
    ),
  );
}

const whenOrdered: Inference = ([a, b]) =>
  a !== undefined && b !== undefined && haveOrder(a, b) ? BOOL : null;

const comparison = (name: string, operator: string, doc: string, holds: Holds) =>
  signature(`${name}(a: T1, b: T2) -> bool`, doc, ordering(operator, holds), whenOrdered);

export const COMPARISON: FunctionGroup = {
  title: 'Comparison operators',
  hostOnly: false,
  signatures: [
    signature(
      '__eq__(a: T1, b: T2) -> bool',
      '`a == b`: numbers by value, strings and paths by text, lists and ranges by elements; other kinds are unequal.',
      (call, a, b) => equals(a, b, call),
    ),
    signature('__ne__(a: T1, b: T2) -> bool', '`a != b`.', (call, a, b) => !equals(a, b, call)),
    comparison('__lt__', '<', '`a < b`.', (found) => found < 0),
    comparison('__gt__', '>', '`a > b`.', (found) => found > 0),
    comparison('__le__', '<=', '`a <= b`.', (found) => found <= 0),
    comparison('__ge__', '>=', '`a >= b`.', (found) => found >= 0),
    signature('__not__(a: bool) -> bool', '`not a`.', (_call, a) => !boolValue(a)),
  ],
};
