import type { Test } from 'tap';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { put, remove, type ChangeSet } from '../../../src/core/records/change-set.ts';
import { TASK_PAGE_BYTES } from '../../../src/core/records/task-page.ts';
import { farmNamed } from './fixed-rows.ts';
import { writerOptions, type Ended } from './store-kit.ts';

/** A page that starts with a number, with the size that readers of pages expect. */
function pageOf(n: number): Uint8Array {
  const page = new Uint8Array(TASK_PAGE_BYTES);
  new DataView(page.buffer).setUint32(0, n, true);
  return page;
}

/**
 * Change sets for detecting partial and missing sets: set n puts row n, moves the row `newest`, and replaces its
 * predecessor in another table.
 */
export const numberedSet = (n: number): ChangeSet => ({
  version: 1,
  shard: 0,
  sequence: n,
  changes: [
    put('farm', String(n).padStart(10, '0'), farmNamed(`set ${n} ${'x'.repeat((n % 7) * 400)}`)),
    put('taskPage', 'newest', pageOf(n)),
    put('taskPage', `half-${n}`, pageOf(0)),
    remove('taskPage', `half-${n - 1}`),
  ],
});

/** Returns the number of the newest readable set, or 0. */
export function newestSet(reader: StoreReader): number {
  const newest = [...reader.scan('farm', { reverse: true, limit: 1 })][0];
  return newest === undefined ? 0 : Number(newest.key);
}

/** Asserts that every acknowledged set is readable, and each set completely or not at all. Returns the newest set. */
function checkSets(t: Test, reader: StoreReader, acknowledged: readonly number[]): number {
  const numbers = [...reader.scan('farm')].map(({ key }) => Number(key));
  const newest = reader.get('taskPage', 'newest');
  const halves = [...reader.scan('taskPage', { prefix: 'half-' })].map(({ key }) => key);
  const last = numbers.at(-1) ?? 0;
  t.strictSame(
    acknowledged.filter((n) => n > last),
    [],
    'every acknowledged set is stored',
  );
  t.strictSame(
    numbers,
    Array.from({ length: last }, (_, i) => i + 1),
    'no set is missing before the newest',
  );
  t.equal(newest === undefined ? 0 : Buffer.from(newest).readUInt32LE(0), last);
  t.strictSame(halves, last === 0 ? [] : [`half-${last}`], 'no set is stored partially');
  return last;
}

/** Reopens the store like a start of the service, and checks it like `checkSets`. */
export async function checkStore(
  t: Test,
  directory: string,
  acknowledged: readonly number[],
): Promise<number> {
  const writer = await openStateWriter(writerOptions(directory));
  const last = await checkReadable(t, directory, acknowledged);
  await writer.close();
  return last;
}

/** The same for the tables alone: the journal is not replayed. */
export async function checkReadable(
  t: Test,
  directory: string,
  acknowledged: readonly number[],
): Promise<number> {
  const reader = await openStateReader(directory);
  const last = checkSets(t, reader, acknowledged);
  await reader.close();
  return last;
}

/** Output of a program: one line `n` for a durable set, and `r n` when it is readable. */
interface Told {
  readonly acknowledged: readonly number[];
  /** The newest readable set; 0 before the first. */
  readonly readable: number;
}

export function acknowledgedSets({ stdout }: Ended): Told {
  // The kill may truncate the last line; such a line does not count.
  const lines = stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
  return {
    acknowledged: lines.filter((line) => !line.startsWith('r ')).map(Number),
    readable: Number(lines.findLast((line) => line.startsWith('r '))?.slice(2) ?? 0),
  };
}
