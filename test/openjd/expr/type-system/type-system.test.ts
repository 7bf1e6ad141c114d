import fc from 'fast-check';
import { test } from 'tap';
import {
  resolvedType,
  unionOf,
  unresolved,
  listOf,
} from '../../../../src/openjd/expr/type-system/expr-type.ts';
import {
  commonElement,
  matches,
  satisfies,
  substitute,
  type Bindings,
} from '../../../../src/openjd/expr/type-system/type-match.ts';
import { parseType } from '../../../../src/openjd/expr/type-system/type-text.ts';
import { typed } from '../evaluate/checked.ts';

void test('types are formatted in normal form', (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['int', 'int'],
    [' int ', 'int'],
    ['int?', 'int?'],
    ['int | nulltype', 'int?'],
    ['nulltype | int', 'int?'],
    ['string | int', 'int | string'],
    ['int | string | nulltype', 'int | string | nulltype'],
    ['int? | string', 'int | string | nulltype'],
    ['int | int', 'int'],
    ['int | any', 'any'],
    ['int | noreturn', 'int'],
    ['noreturn | noreturn', 'noreturn'],
    ['nulltype | noreturn', 'nulltype'],
    ['nulltype?', 'nulltype'],
    ['list[int | string]', 'list[int | string]'],
    ['list[list[int]]', 'list[list[int]]'],
    ['list[int]?', 'list[int]?'],
    ['list[int?]', 'list[int?]'],
    ['unresolved', 'unresolved'],
    ['unresolved[any]', 'unresolved'],
    ['unresolved[int]', 'unresolved[int]'],
    ['unresolved[unresolved[int]]', 'unresolved[int]'],
    ['list[unresolved[int]]', 'unresolved[list[int]]'],
    ['list[list[unresolved[int]]]', 'unresolved[list[list[int]]]'],
    ['int | unresolved[string]', 'unresolved[int | string]'],
    ['unresolved[int] | unresolved[string]', 'unresolved[int | string]'],
    ['unresolved[int]?', 'unresolved[int?]'],
    ['list[unresolved]', 'unresolved[list[any]]'],
    ['list[T]', 'list[T]'],
  ];
  for (const [source, text] of cases) t.equal(parseType(source)?.text, text, source);
  for (const wrong of [
    '',
    'foo',
    'list',
    'list[]',
    'list[int',
    'int]',
    'int |',
    '| int',
    'int int',
    'int[string]',
    'INT',
    'list[int]]',
    'int??x',
    `${'list['.repeat(20)}int${']'.repeat(20)}`,
  ]) {
    t.equal(parseType(wrong), null, wrong);
  }
  t.end();
});

const BASIC = ['bool', 'int', 'float', 'string', 'path', 'range_expr', 'nulltype', 'any', 'noreturn'];
const anyType = fc
  .letrec<{ type: string }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...BASIC),
      tie('type').map((inner) => `list[${inner}]`),
      tie('type').map((inner) => `unresolved[${inner}]`),
      fc.array(tie('type'), { minLength: 2, maxLength: 3 }).map((members) => members.join(' | ')),
    ),
  }))
  .type.map(typed);

void test('union types are consistent', (t) => {
  fc.assert(
    fc.property(anyType, anyType, anyType, (a, b, c) => {
      t.equal(unionOf([a, b]), unionOf([b, a]), `${a.text} and ${b.text}`);
      t.equal(unionOf([a, unionOf([b, c])]), unionOf([unionOf([a, b]), c]));
      t.equal(unionOf([a, a]), a);
      t.equal(unresolved(unresolved(a)), unresolved(a));
      t.equal(parseType(a.text), a, 'a formatted type round-trips');
      t.equal(resolvedType(listOf(unresolved(a))), resolvedType(listOf(a)));
      const union = unionOf([a, b]);
      const [of, whole] = [resolvedType(a), resolvedType(union)];
      // noreturn has no values, and matches no target.
      if (!a.text.includes('noreturn') && !b.text.includes('noreturn')) {
        t.ok(satisfies(of, whole), `${of.text} satisfies ${whole.text}`);
      }
    }),
    { numRuns: 400, seed: 12 },
  );
  t.end();
});

void test('elements have a common type', (t) => {
  const cases: readonly (readonly [readonly string[], string | null])[] = [
    [[], 'nulltype'],
    [['int', 'int'], 'int'],
    [['int', 'float'], 'float'],
    [['path', 'string'], 'string'],
    [['int', 'string'], null],
    [['bool', 'int'], null],
    [['int', 'list[int]'], null],
    [['list[int]', 'list[float]'], 'list[float]'],
    [['list[path]', 'list[string]'], 'list[string]'],
    [['list[nulltype]', 'list[int]'], 'list[int]'],
    [['list[nulltype]', 'list[nulltype]'], 'list[nulltype]'],
    [['list[int]', 'list[string]'], null],
    [['list[list[int]]', 'list[list[float]]'], 'list[list[float]]'],
    [['range_expr', 'list[int]'], null],
    [['range_expr', 'range_expr'], 'range_expr'],
  ];
  for (const [types, expected] of cases) {
    const found = commonElement(types.map((text) => resolvedType(typed(text))));
    t.equal(found === null ? null : found.text, expected, types.join(', '));
  }
  t.end();
});

void test('types satisfy targets', (t) => {
  const yes = [
    'int to int',
    'int to int?',
    'nulltype to int?',
    'int to float | int',
    'list[int] to list[int | string]',
    'float | int to float | int | string',
    'unresolved[int] to int',
    'int to any',
    'list[int] to list[any]',
  ];
  const no = [
    'int to float',
    'path to string',
    'int? to int',
    'list[int] to list[float]',
    'list[nulltype] to list[int]',
    'any to int',
    'int to noreturn',
    'int to unresolved[int]',
    'range_expr to list[int]',
    'nulltype to int',
    'int | string to int',
  ];
  for (const [cases, expected] of [
    [yes, true],
    [no, false],
  ] as const) {
    for (const each of cases) {
      const [type = '', target = ''] = each.split(' to ');
      t.equal(satisfies(typed(type), typed(target)), expected, each);
    }
  }
  t.end();
});

void test('type variables are bound once', (t) => {
  const bound = (pairs: readonly (readonly [string, string])[], returns: string): string | null => {
    const bindings: Bindings = new Map();
    const fits = pairs.every(([parameter, argument]) => matches(typed(parameter), typed(argument), bindings));
    return fits ? substitute(typed(returns), bindings).text : null;
  };
  t.equal(
    bound(
      [
        ['list[T]', 'list[int]'],
        ['int', 'int'],
      ],
      'T',
    ),
    'int',
  );
  t.equal(
    bound(
      [
        ['T', 'int'],
        ['T', 'int'],
      ],
      'list[T]',
    ),
    'list[int]',
  );
  t.equal(
    bound(
      [
        ['T', 'int'],
        ['T', 'string'],
      ],
      'T',
    ),
    null,
  );
  t.equal(
    bound(
      [
        ['T1', 'int'],
        ['T2', 'string'],
      ],
      'T1 | T2',
    ),
    'int | string',
  );
  t.equal(bound([['list[T]', 'int']], 'T'), null);
  t.equal(bound([['list[list[T]]', 'list[list[path]]']], 'list[T]'), 'list[path]');
  t.equal(bound([['int?', 'nulltype']], 'bool'), 'bool');
  t.end();
});
