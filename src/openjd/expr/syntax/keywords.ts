import type { BinaryOperator, CompareOperator } from './tree.ts';

/** Words of Python that are not valid names, except after a dot (section 1.1.3). */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Word literals, including those of JSON and YAML (section 1.1.4). */
export const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
]);

/** Binding strength of operators in Python's order, the loosest first. */
export const BINDING = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  bitwiseOr: 5,
} as const;

export interface Infix<Operator extends string> {
  readonly operator: Operator;
  readonly binding: number;
}

/** Left-associative operators. `**` binds tighter than a sign before it and is right-associative. */
export const BINARY: ReadonlyMap<string, Infix<BinaryOperator>> = new Map(
  (
    [
      ['+', 9],
      ['-', 9],
      ['*', 10],
      ['/', 10],
      ['//', 10],
      ['%', 10],
    ] as const
  ).map(([operator, binding]) => [operator, { operator, binding }]),
);

/** Operators of Python that the language does not have, with their names. */
export const REFUSED_BINARY: ReadonlyMap<string, Infix<string>> = new Map(
  (
    [
      ['|', BINDING.bitwiseOr, 'Bitwise OR (|)'],
      ['^', 6, 'Bitwise XOR (^)'],
      ['&', 7, 'Bitwise AND (&)'],
      ['<<', 8, 'Left shift (<<)'],
      ['>>', 8, 'Right shift (>>)'],
      ['@', 10, 'Matrix multiplication (@)'],
    ] as const
  ).map(([text, binding, operator]) => [text, { operator, binding }]),
);

export const COMPARISONS: ReadonlyMap<string, CompareOperator> = new Map(
  (['==', '!=', '<', '<=', '>', '>=', 'in'] as const).map((operator) => [operator, operator]),
);
