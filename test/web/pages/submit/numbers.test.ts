import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { parseDecimal, parseInteger } from '../../../../src/openjd/primitives/numbers.ts';
import { decimalIn, integerIn, stepped } from '../../../../web/pages/submit/model/numbers.ts';
import { numberText } from './arbitraries.ts';

const FREE = { step: '1', minValue: null, maxValue: null, decimals: null };

void test('the page and the server parse numbers in the same way', (t) => {
  fc.assert(
    fc.property(numberText, (text) => {
      assert.equal(integerIn(text), parseInteger(text));
      assert.equal(decimalIn(text), parseDecimal(text));
    }),
    { numRuns: 500 },
  );
  t.end();
});

void test('a spin box steps exactly, also 64-bit integers and decimals', (t) => {
  t.equal(stepped('9223372036854775806', FREE, 1), '9223372036854775807');
  t.equal(stepped('0.1', { ...FREE, step: '0.2' }, 1), '0.3');
  t.equal(stepped('0', { ...FREE, step: '0.875' }, -1), '-0.875');
  t.equal(stepped('1.5', FREE, 1), '2.5');
  t.equal(stepped('1', { ...FREE, decimals: 2 }, 1), '2.00');
  t.equal(stepped('-0.5', { ...FREE, step: '1' }, 1), '0.5');
  t.end();
});

void test('a spin box stops at its limits', (t) => {
  const limited = { ...FREE, step: '30', minValue: '-100', maxValue: '100' };
  t.equal(stepped('90', limited, 1), '100');
  t.equal(stepped('-90', limited, -1), '-100');
  t.equal(stepped('1', { ...FREE, maxValue: '1.25' }, 1), '1.25');
  t.equal(stepped('5000', limited, -1), '100');
  t.end();
});

void test('a spin box starts at a limit or 0, and ignores invalid numbers', (t) => {
  t.equal(stepped('', FREE, 1), '0');
  t.equal(stepped('', { ...FREE, minValue: '3' }, 1), '3');
  t.equal(stepped('', { ...FREE, maxValue: '-3' }, -1), '-3');
  for (const text of ['abc', '1e3', '-', '.', '1.2.3']) t.equal(stepped(text, FREE, 1), null, text);
  t.end();
});

void test('a step up and a step down return to the same number', (t) => {
  const plain = fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(plain, fc.integer({ min: 1, max: 10_000 }), ([digits, places], step) => {
      const text = decimal(digits, places);
      const by = { ...FREE, step: decimal(BigInt(step), 3) };
      const back = stepped(stepped(text, by, 1) ?? '', by, -1) ?? '';
      assert.equal(Number(back), Number(text));
    }),
  );
  t.end();
});

function decimal(digits: bigint, places: number): string {
  const text = `${digits < 0n ? -digits : digits}`.padStart(places + 1, '0');
  const sign = digits < 0n ? '-' : '';
  return places === 0 ? sign + text : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}
