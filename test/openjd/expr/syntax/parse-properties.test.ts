import fc from 'fast-check';
import { test } from 'tap';
import { parseExprFormat } from '../../../../src/openjd/expr/format/format-string.ts';
import { parseExpression } from '../../../../src/openjd/expr/syntax/parse-expression.ts';
import type { Expr } from '../../../../src/openjd/expr/syntax/tree.ts';
import { shape } from './written.ts';
import { failureText } from '../../../../src/openjd/expr/expr-failure.ts';
import { rounds } from '../../../kit/rounds.ts';

const RUNS = rounds(600, 2000);
const NAMES = ['a', 'b', 'Param', '_x', 'x1', 'match'];
const ATTRIBUTES = [...NAMES, 'if', 'in', 'True', 'class', 'None'];
/** Two variables, for nested comprehensions. */
const VARIABLES = ['v', 'w', '_u'];

/** A part of an expression: its source, which never needs parentheses, and the expected tree. */
interface Written {
  readonly source: string;
  readonly shape: string;
}

const atom: fc.Arbitrary<Written> = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => ({ source: name, shape: name })),
  fc.nat({ max: 1_000_000 }).chain((value) =>
    fc.constantFrom(String(value), `0x${value.toString(16)}`, `0b${value.toString(2)}`).map((source) => ({
      source,
      shape: String(value),
    })),
  ),
  fc
    .tuple(fc.nat({ max: 999 }), fc.nat({ max: 99 }))
    .map(([whole, part]) => `${whole}.${part}`)
    .map((source) => ({ source, shape: `${Number(source)}/${source}` })),
  fc
    .string({ unit: 'grapheme', maxLength: 8 })
    .map((text) => ({ source: quoted(text), shape: JSON.stringify(text) })),
  fc.constantFrom(
    { source: 'true', shape: 'true' },
    { source: 'False', shape: 'false' },
    { source: 'null', shape: 'null' },
  ),
);

const quoted = (text: string): string =>
  `'${text
    .replace(/[\\']/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}'`;

const inside = (part: Written): string => `(${part.source})`;

const { expression } = fc.letrec<{ expression: Written }>((tie) => {
  const part = tie('expression');
  const parts = fc.array(part, { maxLength: 3 });
  const some = fc.array(part, { minLength: 2, maxLength: 3 });
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      fc.tuple(fc.constantFrom('-', '+', 'not '), part).map(([operator, operand]) => ({
        source: `${operator}${inside(operand)}`,
        shape: `(${operator.trim()} ${operand.shape})`,
      })),
      fc
        .tuple(fc.constantFrom('+', '-', '*', '/', '//', '%', '**'), part, part)
        .map(([operator, left, right]) => ({
          source: `${inside(left)}${operator}${inside(right)}`,
          shape: `(${operator} ${left.shape} ${right.shape})`,
        })),
      fc.tuple(fc.constantFrom('and', 'or'), some).map(([operator, operands]) => ({
        source: operands.map(inside).join(` ${operator} `),
        shape: `(${operator} ${operands.map((operand) => operand.shape).join(' ')})`,
      })),
      fc.tuple(fc.constantFrom('<', '==', 'in', 'not  in'), some).map(([operator, [first, ...rest]]) => ({
        source: [first, ...rest]
          .map((operand) => (operand === undefined ? '' : inside(operand)))
          .join(` ${operator} `),
        shape: `(compare ${first?.shape ?? ''} ${rest.map((operand) => `${operator.replace('  ', ' ')} ${operand.shape}`).join(' ')})`,
      })),
      fc.tuple(part, part, part).map(([then, condition, otherwise]) => ({
        source: `${inside(then)}if${inside(condition)}else\n${inside(otherwise)}`,
        shape: `(if ${condition.shape} ${then.shape} ${otherwise.shape})`,
      })),
      parts.map((items) => ({
        source: `[${items.map(({ source }) => source).join(' , ')}]`,
        shape: `[${items.map((item) => item.shape).join(' ')}]`,
      })),
      fc.tuple(fc.constantFrom(...VARIABLES), part).map(([variable, iterable]) => ({
        source: `[${variable} for ${variable} in ${inside(iterable)} if ${variable}]`,
        shape: `(for ${variable} ${variable} ${iterable.shape} ${variable})`,
      })),
      fc.tuple(fc.constantFrom(...NAMES), parts).map(([name, args]) => ({
        source: `${name}(${args.map(({ source }) => source).join(',')})`,
        shape: `(${['call', name, ...args.map((arg) => arg.shape)].join(' ')})`,
      })),
      fc.tuple(fc.constantFrom(...ATTRIBUTES), part, parts).map(([name, receiver, args]) => ({
        source: `${inside(receiver)}.${name}(${args.map(({ source }) => source).join(',')})`,
        shape: `(${['method', name, receiver.shape, ...args.map((arg) => arg.shape)].join(' ')})`,
      })),
      fc.tuple(fc.constantFrom(...ATTRIBUTES), part).map(([name, base]) => ({
        source: `${inside(base)}\n.${name}`,
        shape: `(. ${base.shape} ${name})`,
      })),
      fc.tuple(part, part).map(([base, index]) => ({
        source: `${inside(base)}[${index.source}]`,
        shape: `(at ${base.shape} ${index.shape})`,
      })),
      fc.tuple(part, fc.option(part), fc.option(part), fc.option(part)).map(([base, ...bounds]) => ({
        source: `${inside(base)}[${bounds.map((bound) => bound?.source ?? '').join(':')}]`,
        shape: `(${['slice', base.shape, ...bounds.map((bound) => bound?.shape ?? '_')].join(' ')})`,
      })),
    ),
  };
});

void test('a generated expression is parsed as its tree', async (t) => {
  fc.assert(
    fc.property(expression, ({ source, shape: expected }) => {
      const parsed = parseExpression(source);
      if (!parsed.ok) throw new Error(`${source}: ${parsed.failure.message}`);
      return shape(parsed.expr) === expected;
    }),
    { numRuns: RUNS },
  );
  t.pass();
});

void test('the same holds in a format string, with the same positions', async (t) => {
  fc.assert(
    fc.property(
      expression,
      fc.string().filter((text) => !/[{}]/.test(text)),
      ({ source }, before) => {
        const alone = parseExpression(source);
        const format = parseExprFormat(`${before}{{${source} }}x`);
        if (!alone.ok || !format.ok) throw new Error(source);
        const part = format.format.parts.find(({ kind }) => kind === 'expression');
        if (part?.kind !== 'expression') throw new Error('not an expression');
        const offset = before.length + 2;
        return (
          shape(part.expr) === shape(alone.expr) &&
          part.expr.start === alone.expr.start + offset &&
          part.expr.end === alone.expr.end + offset &&
          part.expr.caret === alone.expr.caret + offset
        );
      },
    ),
    { numRuns: RUNS },
  );
  t.pass();
});

const PIECES = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '{{',
    '}}',
    ',',
    ':',
    '.',
    '...',
    '=',
    ':=',
    '"',
    "'",
    "'''",
    '\\',
    '\n',
    ' ',
    '#',
  ],
  ...[
    '+',
    '-',
    '*',
    '**',
    '/',
    '//',
    '%',
    '@',
    '&',
    '|',
    '^',
    '~',
    '<<',
    '>',
    '==',
    '!=',
    '!',
    '?',
    '$',
    '\u00a0',
    '😀',
  ],
  ...[
    'a',
    'x',
    'not',
    'in',
    'is',
    'and',
    'or',
    'if',
    'else',
    'for',
    'async',
    'await',
    'lambda',
    'True',
    'null',
    'f',
    'r',
    'b',
  ],
  ...[
    '1',
    '0',
    '007',
    '1.5',
    '.5',
    '1e5',
    '3j',
    '0x',
    '_',
    '9223372036854775808',
    "'s'",
    'f"x"',
    '\\N{BULLET}',
    '\\x4',
  ],
];

/** Every position is within the source, and within the position of its parent except for parentheses. */
function checkPlaces(expr: Expr, end: number): void {
  const { start, caret } = expr;
  if (!(start >= 0 && start <= caret && caret < expr.end && expr.end <= end)) {
    throw new Error(`invalid position of ${expr.kind}`);
  }
}

void test('no text makes the parser throw, and every failure can be shown', async (t) => {
  const source = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40, size: 'max' }).map((pieces) => pieces.join('')),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40, size: 'max' }).map((pieces) => pieces.join(' ')),
    fc.string({ unit: 'binary', maxLength: 60, size: 'max' }),
  );
  fc.assert(
    fc.property(source, (text) => {
      const parsed = parseExpression(text);
      if (parsed.ok) return checkPlaces(parsed.expr, text.length);
      const shown = failureText(parsed.failure, text);
      if (!shown.startsWith(parsed.failure.message)) throw new Error(shown);
      if (parsed.failure.place !== null && !shown.slice(parsed.failure.message.length).includes('^')) {
        throw new Error(shown);
      }
    }),
    { numRuns: RUNS * 5 },
  );
  fc.assert(
    fc.property(source, (text) => {
      const parsed = parseExprFormat(text);
      if (!parsed.ok) failureText(parsed.failure, text);
    }),
    { numRuns: RUNS * 5 },
  );
  t.pass();
});
