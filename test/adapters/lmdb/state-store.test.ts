import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { t as tap, test } from 'tap';
import { openDatabase, openEnvironment } from '../../../src/adapters/lmdb/environment.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { META_DATABASE } from '../../../src/adapters/lmdb/store-format.ts';
import { put, type Change, type ChangeSet } from '../../../src/core/records/change-set.ts';
import { testStoreContract } from '../store-contract.ts';
import { farmNamed } from './fixed-rows.ts';
import { attach, committed, runProgram, startStore, threadOptions, writerOptions } from './store-kit.ts';

/** In milliseconds: the test starts threads and processes. */
tap.setTimeout(120_000);

const setOf = (shard: number, sequence: number, ...changes: Change[]): ChangeSet => ({
  version: 1,
  shard,
  sequence,
  changes,
});

test('the store thread with a reader fulfills the store contract', async (t) => {
  let directories = 0;
  const root = t.testdir();
  await testStoreContract(t, async () => {
    const directory = join(root, `store-${directories++}`);
    const thread = await startStore(threadOptions(directory));
    const client = attach(thread);
    const reader = await openStateReader(directory);
    return {
      reader,
      async commit(sets, onDurable) {
        const waits = sets.map((set) =>
          committed(client, set).then(() => {
            reader.refresh();
            onDurable(set.sequence);
          }),
        );
        await Promise.all(waits);
      },
      async close() {
        await reader.close();
        await thread.stop();
      },
    };
  });
});

test('commits are readable after a restart, with the same store ID', async (t) => {
  const directory = t.testdir();
  const first = await startStore(threadOptions(directory));
  await committed(attach(first), setOf(0, 5, put('farm', 'f', farmNamed('kept'))));
  await first.stop();
  const second = await startStore(threadOptions(directory));
  const reader = await openStateReader(directory);
  t.equal(reader.get('farm', 'f')?.name, 'kept');
  t.equal(second.storeId, first.storeId);
  t.match(first.storeId, /^[0-9a-f-]{36}$/);
  await reader.close();
  await second.stop();
});

test('a stop commits all earlier changes', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const clients = [attach(thread, 0), attach(thread, 1)];
  const told: string[] = [];
  const waits = clients.flatMap((client, shard) =>
    [1, 2, 3].map((n) =>
      committed(client, setOf(shard, n, put('farm', `${shard}-${n}`, farmNamed('x')))).then(() =>
        told.push(`${shard}-${n}`),
      ),
    ),
  );
  await thread.stop();
  await Promise.all(waits);
  t.strictSame(told.toSorted(), ['0-1', '0-2', '0-3', '1-1', '1-2', '1-3']);
  const again = await startStore(threadOptions(directory));
  const reader = await openStateReader(directory);
  t.strictSame(
    [...reader.scan('farm')].map(({ key }) => key),
    ['0-1', '0-2', '0-3', '1-1', '1-2', '1-3'],
  );
  await reader.close();
  await again.stop();
});

test('a reader in another thread sees a commit after the notice and a refresh, not within its snapshot', async (t) => {
  const directory = t.testdir();
  const thread = await startStore(threadOptions(directory));
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const reading = new Worker(new URL('./programs/read-around-commit.js', import.meta.url), {
    workerData: { directory, key: 'f', committed: flag },
  });
  await once(reading, 'message');
  await committed(attach(thread), setOf(0, 1, put('farm', 'f', farmNamed('new'))));
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  const [seen] = (await once(reading, 'message')) as unknown[];
  t.strictSame(seen, [undefined, undefined, 'new']);
  await once(reading, 'exit');
  await thread.stop();
});

test('a second writer is rejected, in this and in another process, until the first has stopped', async (t) => {
  const directory = t.testdir();
  const first = await startStore(threadOptions(directory));
  const inUse = `the store in ${directory} cannot be opened: ${directory} is in use by another service (process ${process.pid})`;
  await t.rejects(startStore(threadOptions(directory)), { message: inUse });
  const other = await runProgram('commit-forever', [directory]).ended;
  t.equal(other.code, 1);
  t.match(other.stderr, inUse);
  t.equal(other.stdout, '');
  await first.stop();
  const next = await startStore(threadOptions(directory));
  t.equal(next.storeId, first.storeId);
  await next.stop();
});

test('a shard that breaks the sequence ends the process before any acknowledgment', async (t) => {
  const gap = await runProgram('break-the-sequence', [t.testdir(), '0', '3']).ended;
  t.strictSame([gap.code, gap.stdout], [70, '1 is durable\n']);
  t.equal(gap.stderr, 'callsheet: ending the process (broken-protocol): shard 0 sent change set 3 after 1\n');
});

test('a shard that sends a change set of another shard ends the process', async (t) => {
  const wrong = await runProgram('break-the-sequence', [t.testdir(), '7', '2']).ended;
  t.strictSame([wrong.code, wrong.stdout], [70, '1 is durable\n']);
  t.equal(
    wrong.stderr,
    'callsheet: ending the process (broken-protocol): shard 0 sent a change set of shard 7\n',
  );
});

test('the process ends even if another thread is inside a transaction', async (t) => {
  for (let round = 0; round < 5; round++) {
    const end = await runProgram('break-while-logging', [t.testdir()]).ended;
    // If the exit hangs in the cleanup of the other thread, the process is killed.
    t.ok(end.code === 70 || end.signal === 'SIGKILL', JSON.stringify([end.code, end.signal]));
    t.equal(end.stdout, '');
  }
});

test('a store of an unknown format is rejected and not changed', async (t) => {
  const root = t.testdir();
  const refusal = async (directory: string): Promise<string> => {
    const errors = await Promise.allSettled([
      openStateWriter(writerOptions(directory)),
      openStateReader(directory),
    ]);
    const messages = errors.map((result) =>
      result.status === 'rejected' ? String(result.reason) : 'opened',
    );
    t.equal(messages[0], messages[1], 'writer and reader have the same message');
    return messages[0]?.replace(directory, '<dir>') ?? '';
  };
  const withFormat = async (name: string, text: string): Promise<string> => {
    const directory = join(root, name);
    const writer = await openStateWriter(writerOptions(directory));
    await writer.close();
    const environment = openEnvironment(directory, 'state');
    const meta = environment.openDB<Uint8Array, Uint8Array>(META_DATABASE, {
      encoding: 'binary',
      keyEncoding: 'binary',
    });
    environment.transactionSync(() => {
      if (text === '') meta.removeSync(Buffer.from('format'));
      else meta.putSync(Buffer.from('format'), Buffer.from(text));
    });
    await environment.close();
    return directory;
  };
  const format = {
    kind: 'state',
    format: 1,
    createdBy: '9.9.9',
    storeId: '0191c0de-0000-7000-8000-000000000001',
  };
  const json = (over: object): string => JSON.stringify({ ...format, ...over });
  const said = 'StoreOpenError: the store in <dir> cannot be opened: ';
  t.equal(
    await refusal(await withFormat('newer', json({ format: 3 }))),
    `${said}it has format 3 (made by version 9.9.9) and this program knows format 2: use the program that wrote it`,
  );
  t.equal(await refusal(await withFormat('damaged', '{"kind":"sta')), `${said}its format record is damaged`);
  t.equal(await refusal(await withFormat('empty', '""')), `${said}its format record is damaged`);
  t.equal(
    await refusal(await withFormat('no-id', json({ storeId: 'x' }))),
    `${said}its format record is damaged`,
  );
  t.equal(
    await refusal(await withFormat('half', json({ format: 1.5 }))),
    `${said}its format record is damaged`,
  );
  t.equal(
    await refusal(await withFormat('logs', json({ kind: 'logs' }))),
    `${said}it is a store of logs, not of state`,
  );
  t.equal(await refusal(await withFormat('gone', '')), `${said}it holds no format record`);
});

test('a first start that was interrupted before any write is repeated', async (t) => {
  const directory = t.testdir();
  const environment = openEnvironment(directory, 'state');
  environment.openDB(META_DATABASE, { encoding: 'binary', keyEncoding: 'binary' });
  await environment.close();
  const writer = await openStateWriter(writerOptions(directory));
  t.match(writer.storeId, /^[0-9a-f-]{36}$/);
  await writer.close();
});

test('a damaged or foreign data file is rejected', async (t) => {
  const root = t.testdir();
  const refusal = async (name: string, damage: (file: Buffer) => Buffer): Promise<string> => {
    const directory = join(root, name);
    const writer = await openStateWriter(writerOptions(directory));
    await writer.close();
    const file = join(directory, 'data.mdb');
    writeFileSync(file, damage(readFileSync(file)));
    const [result] = await Promise.allSettled([openStateWriter(writerOptions(directory))]);
    if (result.status === 'fulfilled') await result.value.close();
    return result.status === 'rejected' ? String(result.reason).replaceAll(directory, '<dir>') : 'opened';
  };
  const said = (page: number): string =>
    `StoreOpenError: the store in <dir> cannot be opened: <dir>/data.mdb is damaged or not a store: meta page ${page} is not one of LMDB's`;
  const zeroed = (from: number) => (file: Buffer) => file.fill(0, from, from + 64);
  t.equal(await refusal('foreign', () => Buffer.alloc(64 * 1024, 'not a store ')), said(0));
  t.equal(await refusal('short', (file) => file.subarray(0, 20)), said(0));
  t.equal(await refusal('one-page', (file) => file.subarray(0, 4096)), said(1));
  t.equal(await refusal('first-zeroed', zeroed(0)), said(0));
  t.equal(await refusal('second-zeroed', zeroed(4096)), said(1));
  t.equal(await refusal('whole', (file) => file), 'opened');
});

test('a directory that cannot be created is reported', async (t) => {
  const directory = join(t.testdir({ file: 'text' }), 'file', 'state');
  await t.rejects(openStateWriter(writerOptions(directory)), {
    name: 'StoreOpenError',
    message: /^the store in .*file\/state cannot be opened: ENOTDIR/,
  });
});

test('a reader does not create a store', async (t) => {
  const directory = join(t.testdir(), 'nothing');
  await t.rejects(openStateReader(directory), {
    message: `the store in ${directory} cannot be opened: there is none`,
  });
});

test('a store of the format before the journal is opened and upgraded', async (t) => {
  const directory = t.testdir();
  await (await openStateWriter(writerOptions(directory))).close();
  const formatNow = async (older?: number): Promise<unknown> => {
    const environment = openEnvironment(directory, 'state');
    const meta = openDatabase(environment, META_DATABASE);
    const format = JSON.parse(Buffer.from(meta.get(Buffer.from('format')) ?? []).toString()) as object;
    if (older !== undefined) {
      environment.transactionSync(() => {
        meta.putSync(Buffer.from('format'), Buffer.from(JSON.stringify({ ...format, format: older })));
      });
    }
    await environment.close();
    return format;
  };
  const before = await formatNow(1);
  t.match(before, { format: 2 });
  const reader = await openStateReader(directory);
  await reader.close();
  const writer = await openStateWriter(writerOptions(directory));
  await writer.close();
  t.strictSame(await formatNow(), before);
});
