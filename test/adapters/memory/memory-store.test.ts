import { test } from 'tap';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { put, type Change, type ChangeSet } from '../../../src/core/records/change-set.ts';
import { farmNamed } from '../lmdb/fixed-rows.ts';
import { onDurable, onReadable, NO_CALLBACKS } from '../../kit/commit-callbacks.ts';
import { testStoreContract } from '../store-contract.ts';

const setOf = (sequence: number, ...changes: Change[]): ChangeSet => ({
  version: 1,
  shard: 0,
  sequence,
  changes,
});

test('the memory store fulfills the store contract', async (t) => {
  await testStoreContract(t, async () => {
    const store = createMemoryStore();
    return {
      reader: store,
      async commit(sets, told) {
        for (const set of sets)
          store.commit(
            set,
            onReadable(() => told(set.sequence)),
          );
        store.flushAll();
      },
      close: async () => undefined,
    };
  });
});

test('a set is reported as durable when it is flushed, and as readable when it is applied', async (t) => {
  const store = createMemoryStore();
  const told: string[] = [];
  for (const [sequence, name] of ['a', 'b'].entries()) {
    store.commit(setOf(sequence + 1, put('farm', 'a', farmNamed(name))), {
      onDurable: () => told.push(`${name} durable`),
      onReadable: () => told.push(`${name} readable`),
    });
  }
  const seen = (): unknown[] => [
    store.waiting,
    store.unread,
    store.get('farm', 'a')?.name,
    store.durable.get('farm', 'a')?.name,
    told.splice(0),
  ];
  t.strictSame(seen(), [2, 0, undefined, undefined, []]);
  t.equal(store.flushNext(), true);
  t.strictSame(seen(), [1, 1, undefined, 'a', ['a durable']]);
  t.equal(store.flushNext(), true);
  t.strictSame(seen(), [0, 2, undefined, 'b', ['b durable']]);
  store.readAll();
  t.strictSame(seen(), [0, 0, 'b', 'b', ['a readable', 'b readable']]);
  t.equal(store.flushNext(), false);
});

test('sets that are committed during a flush wait for the next flush', async (t) => {
  const store = createMemoryStore();
  store.commit(
    setOf(1),
    onDurable(() => store.commit(setOf(2, put('farm', 'a', farmNamed('a'))), NO_CALLBACKS)),
  );
  store.flushAll();
  t.strictSame([store.waiting, store.get('farm', 'a')], [1, undefined]);
});

test('a crash loses only unflushed sets', async (t) => {
  const store = createMemoryStore();
  const told: number[] = [];
  store.commit(
    setOf(1, put('farm', 'a', farmNamed('kept'))),
    onDurable(() => told.push(1)),
  );
  store.commit(
    setOf(2, put('farm', 'b', farmNamed('lost'))),
    onDurable(() => told.push(2)),
  );
  store.flushNext();
  store.crash();
  store.flushAll();
  t.strictSame([store.waiting, told], [0, [1]]);
  t.strictSame(
    [...store.scan('farm')].map(({ key }) => key),
    ['a'],
  );
  store.commit(
    setOf(1, put('farm', 'c', farmNamed('new life'))),
    onDurable(() => told.push(3)),
  );
  store.flushAll();
  t.strictSame(told, [1, 3], 'a shard restarts its sequence after a crash');
});

test('a gap in the sets of a shard is rejected', async (t) => {
  const store = createMemoryStore();
  store.commit(setOf(1), NO_CALLBACKS);
  t.throws(() => store.commit(setOf(3), NO_CALLBACKS), {
    message: 'shard 0 committed change set 3 after 1',
  });
});
