import fc from 'fast-check';
import { test } from 'tap';
import {
  coalesceChanges,
  put,
  remove,
  removePrefix,
  type Change,
} from '../../../src/core/records/change-set.ts';

const table = fc.constantFrom('activeJob' as const, 'endedJob' as const);
const key = fc.constantFrom('a', 'b', 'a b', '');
const row: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(table, key).map(([name, at]) => put(name, at, { version: 1 })),
  fc.tuple(table, key).map(([name, at]) => remove(name, at)),
);
const rowOf = (change: Change): string => JSON.stringify([change.table, 'key' in change ? change.key : '']);

test('of several changes of a row only the last is kept, in the order of the last changes', (t) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30, size: 'max' }), (changes) => {
      const expected = changes.filter(
        (change, at) => !changes.slice(at + 1).some((later) => rowOf(later) === rowOf(change)),
      );
      const latest = coalesceChanges(changes);
      t.equal(latest.length, expected.length);
      t.ok(latest.every((change, at) => change === expected[at]));
    }),
  );
  t.end();
});

test('changes with a removed prefix are kept', (t) => {
  const before = [
    put('endedJob', 'a', { version: 1 }),
    removePrefix('endedJob', ''),
    put('endedJob', 'a', { version: 1 }),
  ];
  t.equal(coalesceChanges(before), before);
  t.end();
});
