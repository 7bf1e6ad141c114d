import { t as tap, test } from 'tap';
import { openStateReader, type StateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import type { StoreClient } from '../../../src/adapters/lmdb/store-client.ts';
import { encodeValue } from '../../../src/adapters/lmdb/value-encoder.ts';
import { jobId, workerId } from '../../../src/core/ids.ts';
import type { LargeRows } from '../../../src/core/ports/large-jobs.ts';
import { put, remove, type Change, type ChangeSet } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { jobNumber, jobPlan, jobRecord } from '../../http/kit/records.ts';
import { onDurable } from '../../kit/commit-callbacks.ts';
import { farmNamed } from './fixed-rows.ts';
import { attach, committed, startStore, threadOptions } from './store-kit.ts';

/** Acknowledgments of a set: durable first, then readable. */

/** In milliseconds: the test starts threads. */
tap.setTimeout(60_000);

const KIB = 1024;
const WORKER = workerId('0191c0de-0000-7000-8000-000000000009');

const setOf = (shard: number, sequence: number, ...changes: Change[]): ChangeSet => ({
  version: 1,
  shard,
  sequence,
  changes,
});
const farmKey = (shard: number, n: number): string => `${shard}-${String(n).padStart(6, '0')}`;
const farmSet = (shard: number, n: number, bytes = 0): ChangeSet =>
  setOf(shard, n, put('farm', farmKey(shard, n), farmNamed('x'.repeat(bytes))));
const farmsIn = (reader: StateReader): string[] => {
  reader.refresh();
  return [...reader.scan('farm')].map(({ key }) => key);
};
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** Resolves when the set is durable; no reader requests it. */
const durable = (client: StoreClient, set: ChangeSet): Promise<void> =>
  new Promise((resolve) => client.commit(set, onDurable(resolve)));

for (const [what, journalBytes] of [
  ['the usual journal', undefined],
  ['a journal that holds few sets', 4 * KIB],
  ['a journal that holds none', KIB],
] as const) {
  test(`sets are acknowledged in order, durable before readable, for two shards: ${what}`, async (t) => {
    const directory = t.testdir();
    const options = threadOptions(directory);
    const thread = await startStore(journalBytes === undefined ? options : { ...options, journalBytes });
    const reader = await openStateReader(directory);
    const clients = [attach(thread, 0), attach(thread, 1)];
    const COUNT = 150;
    let early = 0;
    const told = await Promise.all(
      clients.map(
        (client, shard) =>
          new Promise<string[]>((resolve) => {
            const heard: string[] = [];
            const commit = (n: number): void => {
              client.commit(farmSet(shard, n, 500 + (n % 5) * 300), {
                onDurable: () => {
                  heard.push(`durable ${n}`);
                  if (n + 3 <= COUNT) commit(n + 3);
                },
                onReadable: () => {
                  reader.refresh();
                  if (reader.get('farm', farmKey(shard, n)) === undefined) early++;
                  heard.push(`readable ${n}`);
                  if (n === COUNT) resolve(heard);
                },
              });
            };
            for (const n of [1, 2, 3]) commit(n);
          }),
      ),
    );
    t.equal(early, 0, 'acknowledged sets are readable');
    for (const heard of told) {
      for (const stage of ['durable', 'readable']) {
        const ofStage = heard
          .filter((line) => line.startsWith(stage))
          .map((line) => Number(line.split(' ')[1]));
        t.strictSame(ofStage, numbers(COUNT), `each is reported as ${stage} once, in order`);
      }
      const wrong = numbers(COUNT).filter(
        (n) => heard.indexOf(`durable ${n}`) > heard.indexOf(`readable ${n}`),
      );
      t.strictSame(wrong, []);
    }
    await reader.close();
    await thread.stop();
  });
}

test('a waiting reader sees all sets that were acknowledged as durable', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const watches = [thread.watch(), thread.watch()];
  const clients = [attach(thread, 0), attach(thread, 1)];
  const reader = await openStateReader(directory);
  let waited = 0;
  const missing: string[] = [];
  const look = async (shard: number, n: number): Promise<void> => {
    await Promise.all(
      watches.map(async (watch) => {
        const behind = watch.untilReadable();
        if (behind !== null) {
          waited++;
          await behind;
        }
        reader.refresh();
        if (reader.get('farm', farmKey(shard, n)) === undefined) missing.push(farmKey(shard, n));
      }),
    );
  };
  await Promise.all(
    clients.map(async (client, shard) => {
      for (const n of numbers(150)) {
        await durable(client, farmSet(shard, n));
        await look(shard, n);
      }
    }),
  );
  t.strictSame(missing, []);
  t.ok(waited > 20, `${waited} had to wait`);
  for (const watch of watches) watch.close();
  await reader.close();
  await thread.stop();
});

test('a watch that is opened while sets are not readable delays reads like any other request', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  let n = 0;
  const missing: number[] = [];
  for (let round = 0; round < 10; round++) {
    await durable(client, farmSet(0, ++n));
    const watch = thread.watch();
    // After this reply the watch is open.
    await thread.storeProvisionalJob(jobId(jobNumber(round)), smallRows());
    for (let look = 0; look < 5; look++) {
      await durable(client, farmSet(0, ++n));
      await watch.untilReadable();
      reader.refresh();
      if (reader.get('farm', farmKey(0, n)) === undefined) missing.push(n);
    }
    watch.close();
  }
  t.strictSame(missing, []);
  await reader.close();
  await thread.stop();
});

const smallRows = (): LargeRows => ({
  template: new Uint8Array(encodeValue('template', { version: 1, format: 'json', text: '{}' })),
  plan: new Uint8Array(encodeValue('plan', jobPlan([]))),
});

test('a request to make sent changes readable is answered in every state', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  client.requestApply();
  client.requestApply();
  await committed(client, farmSet(0, 1));
  client.requestApply();
  await durable(client, farmSet(0, 2));
  await committed(client, farmSet(0, 3));
  const reader = await openStateReader(directory);
  t.strictSame(
    farmsIn(reader),
    numbers(3).map((n) => farmKey(0, n)),
  );
  await reader.close();
  await thread.stop();
});

test('a stop loses no sent changes and acknowledges all of them', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const clients = [attach(thread, 0), attach(thread, 1)];
  const told = { durable: 0, readable: 0 };
  const all = clients.flatMap((client, shard) =>
    numbers(300).map(
      (n) =>
        new Promise<void>((resolve) => {
          client.commit(farmSet(shard, n), {
            onDurable: () => void told.durable++,
            onReadable: () => {
              told.readable++;
              resolve();
            },
          });
        }),
    ),
  );
  await thread.stop();
  await Promise.all(all);
  t.strictSame(told, { durable: 600, readable: 600 });
  const reader = await openStateReader(directory);
  t.strictSame(
    farmsIn(reader),
    [0, 1].flatMap((shard) => numbers(300).map((n) => farmKey(shard, n))),
  );
  await reader.close();
});

test('sets and rows of large jobs do not affect each other', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  const rows = (): LargeRows => ({
    template: new Uint8Array(
      encodeValue('template', { version: 1, format: 'json', text: 'x'.repeat(2_000 * KIB) }),
    ),
    plan: new Uint8Array(encodeValue('plan', jobPlan([]))),
  });
  const ahead: Promise<void>[] = [];
  for (const n of numbers(200)) {
    await durable(client, farmSet(0, n));
    if (n % 25 === 0) ahead.push(thread.storeProvisionalJob(jobId(jobNumber(n)), rows()));
  }
  await Promise.all(ahead);
  await committed(client, farmSet(0, 201));
  t.strictSame(
    farmsIn(reader),
    numbers(201).map((n) => farmKey(0, n)),
  );
  t.equal([...reader.scan('template')].length, 8);
  await reader.close();
  await thread.stop();
});

test('rows that were stored ahead of a durable but unreadable job are kept', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  const lost: number[] = [];
  for (const n of numbers(10)) {
    const id = jobId(jobNumber(n));
    await thread.storeProvisionalJob(id, smallRows());
    await durable(
      client,
      setOf(0, n, remove('comingJob', keys.comingJob(id)), put('job', keys.job(id), jobRecord({ id }))),
    );
    // The creator of the job has not received the acknowledgment.
    thread.discardProvisionalJob(id);
    await thread.storeProvisionalJob(jobId(jobNumber(1000 + n)), smallRows());
    reader.refresh();
    if (
      reader.get('job', keys.job(id)) === undefined ||
      reader.get('template', keys.template(id)) === undefined
    )
      lost.push(n);
  }
  t.strictSame(lost, []);
  await reader.close();
  await thread.stop();
});

test('a new job and a new worker are readable when they are reported as durable', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const client = attach(thread);
  const reader = await openStateReader(directory);
  const missing: string[] = [];
  let n = 0;
  for (let round = 0; round < 20; round++) {
    const key = `made-${round}`;
    const made =
      round % 2 === 0
        ? put('activeJob', key, { version: 1 })
        : put('workerOrdinal', key, { version: 1, workerId: WORKER });
    // The changes of its lease follow, and an earlier set is still unread.
    const sets = [farmSet(0, ++n), setOf(0, ++n, made), farmSet(0, ++n)];
    for (const set of sets) {
      await durable(client, set);
      reader.refresh();
      if (set === sets[1] && reader.get(made.table, key) === undefined) missing.push(key);
    }
  }
  t.strictSame(missing, []);
  await reader.close();
  await thread.stop();
});
