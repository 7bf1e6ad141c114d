import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { ScanOptions, StoreReader } from '../../src/core/ports/store.ts';
import { put, remove, removePrefix, type Change, type ChangeSet } from '../../src/core/records/change-set.ts';
import type { TableName } from '../../src/core/records/tables.ts';
import { arbitraryChange, keyText } from './lmdb/arbitrary-changes.ts';
import { farmNamed } from './lmdb/fixed-rows.ts';

/** A store of any kind, initially empty. */
export interface StoreUnderTest {
  readonly reader: StoreReader;
  /**
   * Commits sets of shard 0, calls back for each in order, and resolves when all are durable. Reads see the sets from
   * each callback on.
   */
  commit(sets: readonly ChangeSet[], onDurable: (sequence: number) => void): Promise<void>;
  close(): Promise<void>;
}

/** Tests the behavior that every store implementation has. */
export async function testStoreContract(t: Test, open: () => Promise<StoreUnderTest>): Promise<void> {
  let sequence = 0;
  const setOf = (changes: readonly Change[]): ChangeSet => ({
    version: 1,
    shard: 0,
    sequence: sequence++,
    changes,
  });
  const commit = (store: StoreUnderTest, ...changes: Change[]): Promise<void> =>
    store.commit([setOf(changes)], () => undefined);
  const namesIn = (store: StoreUnderTest, options?: ScanOptions): string[] =>
    [...store.reader.scan('farm', options)].map(({ key, value }) => `${key}=${value.name}`);

  const withStore =
    (body: (t: Test, store: StoreUnderTest) => Promise<void>) =>
    async (t: Test): Promise<void> => {
      sequence = 1;
      const store = await open();
      try {
        await body(t, store);
      } finally {
        await store.close();
      }
    };

  await t.test(
    'a row is read as it was put, and is undefined when it is missing',
    withStore(async (t, store) => {
      const page = Uint8Array.of(0, 1, 255);
      await commit(store, put('farm', 'f', farmNamed('one')), put('taskPage', 'f', page));
      t.strictSame(store.reader.get('farm', 'f'), farmNamed('one'));
      t.strictSame([...(store.reader.get('taskPage', 'f') ?? [])], [0, 1, 255]);
      t.strictSame(store.reader.get('farm', 'g'), undefined);
      t.strictSame(store.reader.get('queue', 'f'), undefined, 'tables do not share keys');
    }),
  );

  await t.test(
    'keys that no row can have are not found, and can be bounds of a scan',
    withStore(async (t, store) => {
      await commit(store, put('farm', 'a', farmNamed('a')), put('farm', 'x', farmNamed('x')));
      const long = 'm'.repeat(5000);
      t.strictSame(store.reader.get('farm', ''), undefined);
      t.strictSame(store.reader.get('farm', long), undefined);
      t.strictSame(namesIn(store, { prefix: long }), []);
      t.strictSame(namesIn(store, { after: long }), ['x=x']);
      t.strictSame(namesIn(store, { after: long, reverse: true }), ['a=a']);
      t.strictSame(namesIn(store, { after: '' }), ['a=a', 'x=x']);
      t.strictSame(namesIn(store, { after: '', reverse: true }), []);
    }),
  );

  await t.test(
    'the changes of a set are applied in order',
    withStore(async (t, store) => {
      await commit(
        store,
        put('farm', 'a/1', farmNamed('first')),
        put('farm', 'a/2', farmNamed('second')),
        put('farm', 'b', farmNamed('other')),
        removePrefix('farm', 'a/'),
        put('farm', 'a/2', farmNamed('again')),
        remove('farm', 'b'),
        remove('farm', 'never'),
      );
      t.strictSame(namesIn(store), ['a/2=again']);
    }),
  );

  await t.test(
    'removePrefix removes exactly the rows of the prefix',
    withStore(async (t, store) => {
      const rows = Array.from({ length: 3000 }, (_, i) => put('farm', `job-1/${i}`, farmNamed('x')));
      await commit(
        store,
        put('farm', 'job-0/1', farmNamed('x')),
        put('farm', 'job-2', farmNamed('x')),
        ...rows,
      );
      await commit(store, removePrefix('farm', 'job-1/'));
      t.strictSame(namesIn(store), ['job-0/1=x', 'job-2=x']);
    }),
  );

  await t.test(
    'sets are reported as readable in order, and later reads see them',
    withStore(async (t, store) => {
      const told: string[] = [];
      const sets = ['one', 'two', 'three'].map((name) => setOf([put('farm', name, farmNamed(name))]));
      await store.commit(sets, (readable) => {
        const set = sets.find(({ sequence }) => sequence === readable);
        const change = set?.changes[0];
        const key = change?.op === 'put' ? change.key : '';
        told.push(`${key} ${store.reader.get('farm', key) === undefined ? 'unseen' : 'seen'}`);
      });
      t.strictSame(told, ['one seen', 'two seen', 'three seen']);
    }),
  );

  await t.test(
    'changing a returned row does not change the store',
    withStore(async (t, store) => {
      const page = Uint8Array.of(1, 2, 3);
      await commit(store, put('taskPage', 'p', page));
      page[0] = 9;
      store.reader.get('taskPage', 'p')?.fill(8);
      t.strictSame([...(store.reader.get('taskPage', 'p') ?? [])], [1, 2, 3]);
    }),
  );

  await t.test(
    'arbitrary sets and scans give the results of a sorted map',
    withStore(async (t, store) => {
      const model = createModel();
      const options: fc.Arbitrary<ScanOptions> = fc.record(
        { prefix: keyText, after: keyText, reverse: fc.boolean(), limit: fc.nat(6) },
        { requiredKeys: [] },
      );
      const sets = fc.array(fc.array(arbitraryChange, { maxLength: 12, size: 'max' }), { maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(sets, fc.array(options, { maxLength: 8 }), async (changes, scans) => {
          await store.commit([setOf(model.removals()), ...changes.map(setOf)], () => undefined);
          model.apply(changes.flat());
          for (const table of ['farm', 'worker', 'taskPage'] as const) {
            for (const scan of [{}, ...scans]) {
              assert.deepEqual([...store.reader.scan(table, scan)], model.scan(table, scan));
            }
          }
        }),
        { numRuns: 60 },
      );
      t.strictSame([...store.reader.scan('job')], []);
    }),
  );
}

/** Reference implementation of a store: a map that is sorted and filtered at each scan. */
interface Model {
  apply(changes: readonly Change[]): void;
  scan(table: TableName, options: ScanOptions): { key: string; value: unknown }[];
  /** Returns changes that remove all rows. */
  removals(): Change[];
}

function createModel(): Model {
  const rows = new Map<string, { table: TableName; key: string; value: unknown }>();
  const compare = (a: string, b: string): number => Buffer.from(a).compare(Buffer.from(b));
  return {
    apply(changes) {
      for (const change of changes) {
        if (change.op === 'put') rows.set(`${change.table} ${change.key}`, change);
        if (change.op === 'remove') rows.delete(`${change.table} ${change.key}`);
        if (change.op !== 'removePrefix') continue;
        for (const [at, row] of rows) {
          if (row.table === change.table && row.key.startsWith(change.prefix)) rows.delete(at);
        }
      }
    },
    scan(table, { prefix = '', after, reverse = false, limit = Infinity }) {
      const sign = reverse ? -1 : 1;
      return [...rows.values()]
        .filter((row) => row.table === table && row.key.startsWith(prefix))
        .filter((row) => after === undefined || sign * compare(row.key, after) > 0)
        .sort((a, b) => sign * compare(a.key, b.key))
        .slice(0, limit)
        .map(({ key, value }) => ({ key, value }));
    },
    removals() {
      const changes = [...rows.values()].map(({ table, key }) => remove(table, key));
      rows.clear();
      return changes;
    },
  };
}
