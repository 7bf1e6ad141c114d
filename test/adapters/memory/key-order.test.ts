import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { compareKeys } from '../../../src/adapters/memory/key-order.ts';

test('keys are ordered by their UTF-8 bytes', async (t) => {
  t.ok(compareKeys('\u{1f600}', '\uffff') > 0, 'a surrogate pair sorts after every single code unit');
  const key = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\ud7ff', '\ue000', '\uffff', '\u{10000}', 'a'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 6,
  });
  fc.assert(
    fc.property(key, key, (a, b) => {
      assert.equal(Math.sign(compareKeys(a, b)), Buffer.from(a).compare(Buffer.from(b)));
    }),
    { numRuns: 1000 },
  );
});
