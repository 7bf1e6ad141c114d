import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import {
  checkValue,
  submittedNode,
  type ParameterRules,
} from '../../../../src/openjd/template/parameter-rules.ts';
import type { ParameterType } from '../../../../src/openjd/template/plan.ts';
import { parseRange } from '../../../../src/openjd/primitives/range-expression.ts';
import { lastOf, sizeOfRuns } from '../../../../src/openjd/primitives/integer-set.ts';
import { TEMPLATE_LIMITS } from '../../../../src/openjd/template/template-limits.ts';
import { problemsOf, noRules } from '../../../../web/pages/submit/model/check-value.ts';
import { TYPES, type Value, type ValueRules } from '../../../../web/pages/submit/model/definition.ts';
import { readRange } from '../../../../web/pages/submit/model/range-text.ts';
import { submittedText } from '../../../../web/pages/submit/model/values.ts';
import { anyText, numberText, rangeText } from './arbitraries.ts';

const rules = (type: ParameterType, more: Partial<ValueRules> = {}): ValueRules => ({
  ...noRules(type),
  ...more,
});
const problemTexts = (given: ValueRules, value: Value | null): unknown =>
  problemsOf(given, value).map(({ index, detail }) => (index === null ? detail : [index, detail]));

void test('a problem of a single value has a text', (t) => {
  const cases: [ValueRules, Value | null, string][] = [
    [rules('STRING'), null, 'Enter a value.'],
    [rules('INT'), null, 'Enter a whole number.'],
    [rules('INT'), '', 'Enter a whole number.'],
    [rules('INT'), 'ten', 'Invalid number “ten”.'],
    [rules('INT'), '1.5', 'Enter a whole number without decimal point or exponent.'],
    [rules('INT'), '9223372036854775808', 'The number is too large. The limit is 64 bits.'],
    [rules('INT', { minValue: '1' }), '0', 'Must be at least 1.'],
    [
      rules('INT', { maxValue: '9223372036854775806' }),
      '9223372036854775807',
      'Must be at most 9223372036854775806.',
    ],
    [rules('INT', { allowed: ['1', '2'] }), '3', 'Must be one of “1”, “2”.'],
    [rules('FLOAT', { maxValue: '0.5' }), '0.75', 'Must be at most 0.5.'],
    [rules('FLOAT'), '1e999', 'Invalid number “1e999”.'],
    [rules('STRING', { minLength: 3 }), '😀😀', 'Must have at least 3 characters, and has 2.'],
    [rules('STRING', { maxLength: 1 }), 'ab', 'Must have at most 1 character, and has 2.'],
    [rules('PATH'), 'x'.repeat(1025), 'Must have at most 1024 characters, and has 1025.'],
    [rules('BOOL'), 'maybe', 'Enter true or false.'],
    [rules('RANGE_EXPR'), '5-1', 'Descending range “5-1”. Use a negative step, such as 5-1:-1.'],
    [rules('RANGE_EXPR'), '1-5,3', 'The parts that start at 1 and 3 overlap.'],
    [rules('RANGE_EXPR'), '1,', 'A part between or after the commas is empty.'],
    [rules('RANGE_EXPR', { maxLength: 3 }), '1-10', 'Must have at most 3 characters, and has 4.'],
  ];
  for (const [given, value, expected] of cases)
    t.strictSame(problemTexts(given, value), [expected], `${given.type} ${String(value)}`);
  t.end();
});

void test('a problem of a list has the index of its element', (t) => {
  const sizes = rules('LIST[INT]', { minLength: 3, item: rules('INT', { minValue: '16' }) });
  t.strictSame(problemTexts(sizes, ['320', '8']), [
    'Must have at least 3 elements, and has 2.',
    [1, 'Must be at least 16.'],
  ]);
  t.strictSame(problemTexts(rules('LIST[LIST[INT]]'), ['1, 2', '3, x', '']), [
    [1, '“x”: Invalid number “x”.'],
  ]);
  t.strictSame(problemTexts(rules('LIST[BOOL]'), ['true', 'false']), []);
  t.end();
});

/** Converts rules to those of the server. */
const serverRules = (given: ValueRules): ParameterRules => ({
  type: given.type,
  minLength: given.minLength,
  maxLength: given.maxLength,
  minValue: bound(given, given.minValue),
  maxValue: bound(given, given.maxValue),
  allowed: given.allowed,
  item: given.item === null ? null : serverRules(given.item),
});

const bound = ({ type }: ValueRules, text: string | null): ParameterRules['minValue'] =>
  text === null ? null : { value: type === 'INT' ? BigInt(text) : Number(text), text };

const length = fc.option(fc.integer({ min: 0, max: 6 }));
const limit = fc.option(fc.integer({ min: -30, max: 30 }).map(String));

function rulesArbitrary(type: ParameterType): fc.Arbitrary<ValueRules> {
  const { element } = TYPES[type];
  const isNumber = type === 'INT' || type === 'FLOAT';
  const hasLength = !isNumber && type !== 'BOOL';
  const texts = isNumber ? fc.integer({ min: -5, max: 5 }).map(String) : anyText;
  const canAllow = element === null && type !== 'BOOL' && type !== 'RANGE_EXPR';
  return fc.record({
    type: fc.constant(type),
    minLength: hasLength ? length : fc.constant(null),
    maxLength: hasLength ? length : fc.constant(null),
    minValue: isNumber ? limit : fc.constant(null),
    maxValue: isNumber ? limit : fc.constant(null),
    allowed: canAllow
      ? fc.option(fc.array(texts, { minLength: 1, maxLength: 4 }), { freq: 2 })
      : fc.constant(null),
    item: element === null ? fc.constant(null) : fc.option(rulesArbitrary(element)),
  });
}

function valueArbitrary(type: ParameterType): fc.Arbitrary<Value> {
  const { element } = TYPES[type];
  if (element !== null) {
    const row =
      element === 'LIST[INT]'
        ? fc.array(numberText, { maxLength: 4 }).map((texts) => texts.join(', '))
        : null;
    return fc.array((row ?? valueArbitrary(element)) as fc.Arbitrary<string>, { maxLength: 5 });
  }
  if (type === 'INT' || type === 'FLOAT') return numberText;
  if (type === 'RANGE_EXPR') return rangeText;
  return type === 'BOOL' ? fc.constantFrom('true', 'FALSE', 'yes', 'Off', '1', '0', '', '2', 'ja') : anyText;
}

for (const type of Object.keys(TYPES) as ParameterType[])
  void test(`the page and the server accept the same values of ${type}`, (t) => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(rulesArbitrary(type), valueArbitrary(type), (given, value) => {
        const text = submittedText(given, value);
        const node = submittedNode(type, text);
        const isAccepted = node.ok && checkValue(serverRules(given), node.node, TEMPLATE_LIMITS).ok;
        acceptedCount += isAccepted ? 1 : 0;
        assert.equal(problemsOf(given, value).length === 0, isAccepted, text);
      }),
      { numRuns: 400 },
    );
    t.ok(acceptedCount > 0 && acceptedCount < 400, `${acceptedCount} of 400 are acceptedCount`);
    t.end();
  });

void test('the page and the server read a range in the same way', (t) => {
  fc.assert(
    fc.property(rangeText, (text) => {
      const read = readRange(text);
      const range = parseRange(text, TEMPLATE_LIMITS.maxRangeParts);
      assert.equal(read.ok, range.ok, text);
      if (!read.ok || !range.ok) return;
      const last = range.runs.at(-1);
      assert.deepEqual(read, {
        ok: true,
        count: sizeOfRuns(range.runs),
        first: range.runs[0]?.start,
        last: last === undefined ? undefined : lastOf(last),
      });
    }),
    { numRuns: 1_000 },
  );
  t.equal(readRange('1,'.repeat(10_001)).ok, false);
  t.end();
});
