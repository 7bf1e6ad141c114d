import { test } from 'tap';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { put, type Change, type ChangeSet } from '../../../src/core/records/change-set.ts';
import { farmNamed } from '../lmdb/arbitrary-changes.ts';
import { testStoreContract } from '../store-contract.ts';

const setOf = (sequence: number, ...changes: Change[]): ChangeSet => ({
  version: 1,
  shard: 0,
  sequence,
  changes,
});

test('the memory store keeps the contract of a store', async (t) => {
  await testStoreContract(t, async () => {
    const store = createMemoryStore();
    return {
      reader: store,
      async commit(sets, onDurable) {
        for (const set of sets) store.commit(set, () => onDurable(set.sequence));
        store.flushAll();
      },
      close: async () => undefined,
    };
  });
});

test('a set is neither read nor told before it is flushed', async (t) => {
  const store = createMemoryStore();
  const told: number[] = [];
  store.commit(setOf(1, put('farm', 'a', farmNamed('a'))), () => told.push(1));
  store.commit(setOf(2, put('farm', 'a', farmNamed('b'))), () => told.push(2));
  t.strictSame([store.waiting, store.get('farm', 'a'), told], [2, undefined, []]);
  t.equal(store.flushNext(), true);
  t.strictSame([store.waiting, store.get('farm', 'a')?.name, told], [1, 'a', [1]]);
  t.equal(store.flushNext(), true);
  t.strictSame([store.waiting, store.get('farm', 'a')?.name, told], [0, 'b', [1, 2]]);
  t.equal(store.flushNext(), false);
});

test('what is committed while a flush tells of its sets waits for the next flush', async (t) => {
  const store = createMemoryStore();
  store.commit(setOf(1), () => store.commit(setOf(2, put('farm', 'a', farmNamed('a'))), () => undefined));
  store.flushAll();
  t.strictSame([store.waiting, store.get('farm', 'a')], [1, undefined]);
});

test('a crash loses what was not flushed and keeps the rest', async (t) => {
  const store = createMemoryStore();
  const told: number[] = [];
  store.commit(setOf(1, put('farm', 'a', farmNamed('kept'))), () => told.push(1));
  store.commit(setOf(2, put('farm', 'b', farmNamed('lost'))), () => told.push(2));
  store.flushNext();
  store.crash();
  store.flushAll();
  t.strictSame([store.waiting, told], [0, [1]]);
  t.strictSame(
    [...store.scan('farm')].map(({ key }) => key),
    ['a'],
  );
  store.commit(setOf(1, put('farm', 'c', farmNamed('new life'))), () => told.push(3));
  store.flushAll();
  t.strictSame(told, [1, 3], 'a shard counts anew after a crash');
});

test('a gap in the sets of a shard is refused', async (t) => {
  const store = createMemoryStore();
  store.commit(setOf(1), () => undefined);
  t.throws(() => store.commit(setOf(3), () => undefined), {
    message: 'shard 0 committed change set 3 after 1',
  });
});
