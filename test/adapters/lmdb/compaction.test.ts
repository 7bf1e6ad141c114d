import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'tap';
import { compactStore } from '../../../src/adapters/lmdb/compaction.ts';
import { openEnvironment, openDatabase } from '../../../src/adapters/lmdb/environment.ts';
import { pageMeter } from '../../../src/adapters/lmdb/page-meter.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { encodeChangeSet, readChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { runProgram, writerOptions } from './store-kit.ts';

const key = (row: number): string => `row-${String(row).padStart(6, '0')}`;

/** Creates a state store whose page table has these rows, after other rows were written and removed. */
async function makeStore(directory: string, kept: number, removed: number): Promise<void> {
  const writer = await openStateWriter(writerOptions(directory));
  const apply = (changes: readonly Change[]): void =>
    writer.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))]);
  const page = (row: number): Uint8Array => new Uint8Array(3000).fill(row % 251);
  const rows = Array.from({ length: kept + removed }, (_, row) => row);
  apply(rows.map((row) => put('taskPage', key(row), page(row))));
  apply(rows.slice(kept).map((row) => remove('taskPage', key(row))));
  await writer.close();
}

/** Returns the number of rows of `makeStore`, and whether each has its bytes. */
async function rowsOf(directory: string): Promise<{ rows: number; sound: boolean }> {
  const reader = await openStateReader(directory);
  const rows = [...reader.scan('taskPage')];
  await reader.close();
  const sound = rows.every(
    (row, at) =>
      row.key === key(at) && row.value.length === 3000 && row.value.every((byte) => byte === at % 251),
  );
  return { rows: rows.length, sound };
}

const sizeOf = (directory: string): number => statSync(join(directory, 'data.mdb')).size;

test('compaction frees the space of deleted rows and keeps every other row', async (t) => {
  const directory = t.testdir();
  await makeStore(directory, 500, 5_000);
  const before = sizeOf(directory);
  const result = await compactStore(directory, 'state', 0.5);
  t.strictSame(result, { done: true, bytesBefore: before, bytesAfter: sizeOf(directory) });
  t.ok(sizeOf(directory) * 5 < before, `${sizeOf(directory)} of ${before}`);
  t.strictSame(await rowsOf(directory), { rows: 500, sound: true });
  t.equal(existsSync(join(directory, 'compact.partial')), false);

  await makeStoreGrow(directory);
  t.strictSame(await rowsOf(directory), { rows: 501, sound: true });
});

/** The service continues with the new file. */
async function makeStoreGrow(directory: string): Promise<void> {
  const writer = await openStateWriter(writerOptions(directory));
  const changes = [put('taskPage', key(500), new Uint8Array(3000).fill(500 % 251))];
  writer.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))]);
  await writer.close();
}

test('a store with little free space is not compacted', async (t) => {
  const directory = t.testdir();
  await makeStore(directory, 900, 100);
  const before = sizeOf(directory);
  const result = await compactStore(directory, 'state', 0.5);
  t.match(result, { done: false, bytes: before });
  t.ok(!result.done && result.freeShare > 0.05 && result.freeShare < 0.25, JSON.stringify(result));
  t.equal(sizeOf(directory), before);
});

test('a store in use is not compacted', async (t) => {
  const directory = t.testdir();
  await t.rejects(compactStore(directory, 'state', 0), /there is none/);
  await makeStore(directory, 10, 100);
  const writer = await openStateWriter(writerOptions(directory));
  await t.rejects(compactStore(directory, 'state', 0), /in use by another service \(process \d+\)/);
  await writer.close();
  await t.rejects(compactStore(directory, 'logs', 0), /store of state, not of logs/);
  t.match(await compactStore(directory, 'state', 0), { done: true });
});

test('kill -9 during a compaction leaves a complete store', { timeout: 120_000 }, async (t) => {
  const directory = t.testdir();
  await makeStore(directory, 1_500, 1_500);
  const partial = join(directory, 'compact.partial');
  const copied = (): number => statSync(join(partial, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0;
  const rounds = 8;
  let unfinished = 0;
  for (let round = 0; round < rounds; round++) {
    await leaveFreePages(directory);
    const whole = sizeOf(directory);
    const program = runProgram('compact-store', [directory]);
    let isDone = false;
    const done = program.printed(1).then(
      () => (isDone = true),
      // It was killed before.
      () => (isDone = true),
    );
    // The kill is at the first byte of the copy, later and later in the copy, and after it.
    const enough = Math.max(1, (whole * round) / rounds);
    while (!isDone && copied() < enough) await new Promise((resolve) => setImmediate(resolve));
    program.process.kill('SIGKILL');
    t.equal((await program.ended).signal, 'SIGKILL');
    await done;
    if (existsSync(partial)) unfinished++;
    t.strictSame(await rowsOf(directory), { rows: 1_500, sound: true });
  }
  t.ok(unfinished > 0, `${unfinished} compactions were killed in the middle`);
  await leaveFreePages(directory);
  t.match(await compactStore(directory, 'state', 0), { done: true });
  t.equal(existsSync(partial), false, 'leftovers of killed compactions are removed');
});

/** Writes rows and removes some of them. */
async function leaveFreePages(directory: string): Promise<void> {
  const writer = await openStateWriter(writerOptions(directory));
  const rows = Array.from({ length: 500 }, (_, row) => key(100_000 + row));
  const sets = [
    rows.map((row) => put('taskPage', row, new Uint8Array(3000))),
    rows.map((row) => remove('taskPage', row)),
  ];
  for (const changes of sets)
    writer.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))]);
  await writer.close();
}

test('used and free pages are counted as in the file, after any writes and removals', async (t) => {
  const directory = t.testdir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          row: fc.nat(300),
          table: fc.constantFrom('a', 'b'),
          bytes: fc.oneof(fc.constant(-1), fc.nat(200), fc.nat(20_000)),
        }),
        { minLength: 1, maxLength: 150, size: 'max' },
      ),
      fc.integer({ min: 1, max: 60 }),
      async (operations, perCommit) => {
        const store = join(directory, String(++run));
        mkdirSync(store);
        const environment = openEnvironment(store, 'state');
        const tables = { a: openDatabase(environment, 'a'), b: openDatabase(environment, 'b') };
        for (let at = 0; at < operations.length; at += perCommit) {
          environment.transactionSync(() => {
            for (const { row, table, bytes } of operations.slice(at, at + perCommit)) {
              if (bytes < 0) tables[table].removeSync(Buffer.from(key(row)));
              else tables[table].putSync(Buffer.from(key(row)), Buffer.alloc(bytes + 1));
            }
          });
        }
        const before = pageMeter(environment, store)();
        const copy = join(store, 'copy');
        mkdirSync(copy);
        await environment.backup(copy, true);
        await environment.close();
        const compacted = openEnvironment(copy, 'state');
        const after = pageMeter(compacted, copy)();
        await compacted.close();
        // The copy has every used page except those of the free list.
        const listed = before.usedPages - after.usedPages;
        return (
          after.freePages === 0 &&
          listed >= 0 &&
          listed <= 4 &&
          after.usedPages * after.pageBytes === after.fileBytes &&
          (before.usedPages + before.freePages) * before.pageBytes <= before.fileBytes
        );
      },
    ),
    { numRuns: 12 },
  );
  t.equal(readdirSync(directory).length, 12);
});
