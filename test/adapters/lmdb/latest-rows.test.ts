import fc from 'fast-check';
import { test } from 'tap';
import {
  encodeChangeSet,
  readChangeSet,
  type EncodedChange,
} from '../../../src/adapters/lmdb/change-set-codec.ts';
import { latestRows } from '../../../src/adapters/lmdb/latest-rows.ts';
import { put, remove, removePrefix, type Change } from '../../../src/core/records/change-set.ts';

type Rows = ReadonlyMap<string, string>;

/** Returns the result of the changes on empty tables: `<table> <key>` and the value, in key order. */
function rowsAfter(changes: readonly EncodedChange[]): Rows {
  const rows = new Map<string, string>();
  for (const { op, table, key, value } of changes) {
    const name = `${table} ${Buffer.from(key).toString('hex')}`;
    if (op === 'put') rows.set(name, Buffer.from(value).toString('hex'));
    else if (op === 'remove') rows.delete(name);
    else for (const each of [...rows.keys()]) if (each.startsWith(name)) rows.delete(each);
  }
  return new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Few keys, some of which are prefixes of others, so that changes interact. */
const key = fc.string({ unit: fc.constantFrom('a', 'b', '\u00e9', '\u{1f600}'), minLength: 1, maxLength: 3 });
const bytes = fc.uint8Array({ maxLength: 4 });
const table = fc.constantFrom('taskPage' as const, 'farm' as const);
const putOrRemove: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(key, bytes).map(([at, value]) => put('taskPage', at, value)) },
  fc.tuple(table, key).map(([from, at]) => remove(from, at)),
);
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 9, arbitrary: putOrRemove },
  fc.tuple(table, key).map(([from, at]) => removePrefix(from, at)),
);

const setsOf = (
  change: fc.Arbitrary<Change>,
): fc.Arbitrary<readonly { changes: readonly EncodedChange[] }[]> =>
  fc
    .array(fc.array(change, { maxLength: 6 }), { maxLength: 6 })
    .map((sets) =>
      sets.map((changes) => readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))),
    );

const allOf = (sets: readonly { changes: readonly EncodedChange[] }[]): readonly EncodedChange[] =>
  sets.flatMap(({ changes }) => changes);

for (const [what, change] of [
  ['puts and removes', putOrRemove],
  ['puts, removes and removed prefixes', anyChange],
] as const) {
  test(`the latest rows of change sets produce the same tables as all changes: ${what}`, (t) => {
    let left = 0;
    fc.assert(
      fc.property(setsOf(change), setsOf(anyChange), (sets, before) => {
        const latest = latestRows(sets);
        left += allOf(sets).length - latest.length;
        t.strictSame(
          rowsAfter([...allOf(before), ...latest]),
          rowsAfter([...allOf(before), ...allOf(sets)]),
          'also with existing rows',
        );
      }),
      { numRuns: 500 },
    );
    t.ok(left > 20, `${left} changes were omitted`);
    t.end();
  });
}

test('a row that several sets write is written once, unless a prefix is removed', (t) => {
  fc.assert(
    fc.property(setsOf(putOrRemove), (sets) => {
      const latest = latestRows(sets);
      const names = latest.map(({ table: of, key: at }) => `${of} ${Buffer.from(at).toString('hex')}`);
      return sets.length < 2 || new Set(names).size === names.length;
    }),
    { numRuns: 300 },
  );
  t.end();
});

test('the last of several changes of a row applies, per table', (t) => {
  const set = (...changes: Change[]): { changes: readonly EncodedChange[] } =>
    readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }));
  const text = (changes: readonly EncodedChange[]): string[] =>
    changes.map(
      (each) => `${each.op} ${each.table} ${Buffer.from(each.key).toString()} ${each.value.join()}`,
    );
  const one = new Uint8Array([1]);
  const two = new Uint8Array([2]);
  t.strictSame(
    text(
      latestRows([set(put('taskPage', 'a', one), put('taskPage', 'b', one)), set(put('taskPage', 'a', two))]),
    ),
    ['put taskPage b 1', 'put taskPage a 2'],
  );
  t.strictSame(
    text(
      latestRows([set(put('taskPage', 'a', one)), set(remove('taskPage', 'a')), set(remove('farm', 'a'))]),
    ),
    ['remove taskPage a ', 'remove farm a '],
  );
  t.strictSame(
    text(
      latestRows([
        set(put('taskPage', 'a', one)),
        set(removePrefix('taskPage', 'a')),
        set(put('taskPage', 'a', two)),
      ]),
    ),
    ['put taskPage a 1', 'removePrefix taskPage a ', 'put taskPage a 2'],
  );
  t.strictSame(text(latestRows([])), []);
  t.end();
});

test('keys that differ only in their highest bits are different rows', (t) => {
  const change = (key: number): EncodedChange => ({
    op: 'remove',
    table: 'farm',
    key: Uint8Array.of(key),
    value: new Uint8Array(0),
  });
  const sets = [{ changes: [change(0x61)] }, { changes: [change(0xe1)] }];
  t.equal(latestRows(sets).length, 2);
  t.end();
});
