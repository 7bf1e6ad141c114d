import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { t as tap, test } from 'tap';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { checkReadable, checkStore, acknowledgedSets } from './numbered-sets.ts';
import { runProgram, writerOptions } from './store-kit.ts';

/**
 * Row F1 of the fault matrix (docs/faults.md#the-fault-matrix) for the store alone. The kill is at one system call
 * after the other, not at random times.
 */

/** In milliseconds: the test starts some fifty processes. */
tap.setTimeout(180_000);

const straceFault = (): string | false => {
  const run = spawnSync('strace', ['-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (run.error) return 'strace is not installed';
  return run.status === 0 ? false : `strace cannot trace here: ${run.stderr.trim()}`;
};

interface Point {
  readonly file: 'journal.bin' | 'data.mdb';
  readonly call: 'pwrite64' | 'writev' | 'fdatasync';
  readonly nth: number;
}

/** Runs a program that is killed when it starts the nth system call of this kind on the file. */
const killedAt = (directory: string, { file, call, nth }: Point): string[] => [
  ...['strace', '-f', '-qq', '-o', '/dev/null', '-P', join(directory, file)],
  ...['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${nth}`],
];

const points = (file: Point['file'], call: Point['call'], ...nths: readonly number[]): readonly Point[] =>
  nths.map((nth) => ({ file, call, nth }));

async function makeStore(directory: string): Promise<void> {
  const writer = await openStateWriter(writerOptions(directory));
  await writer.close();
}

const WHILE_COMMITTING: readonly Point[] = [
  ...points('journal.bin', 'pwrite64', 1, 2, 3, 4, 6, 9, 15),
  // The first calls belong to the start.
  ...points('data.mdb', 'pwrite64', 8, 9, 10, 11, 13, 17),
  ...points('data.mdb', 'writev', 4, 6),
  ...points('data.mdb', 'fdatasync', 3, 4, 8),
];

test(
  'a kill at any write of the journal or the tables loses nothing acknowledged',
  { skip: straceFault() },
  async (t) => {
    const directory = t.testdir();
    await makeStore(directory);
    let unread = 0;
    let last = 0;
    for (const point of WHILE_COMMITTING) {
      const end = await runProgram('commit-forever', [directory], killedAt(directory, point)).ended;
      const { acknowledged, readable } = acknowledgedSets(end);
      const about = `${point.call} ${point.nth} of ${point.file}: ${acknowledged.length} acknowledged`;
      t.equal(end.signal, 'SIGKILL', about);
      if (acknowledged.length > 0) t.equal(acknowledged[0], last + 1, about);
      const inTables = await checkReadable(t, directory, []);
      t.ok(inTables >= readable, about);
      unread += acknowledged.filter((n) => n > inTables).length;
      last = await checkStore(t, directory, acknowledged);
    }
    t.ok(unread > 0, `${unread} acknowledged sets were only in the journal`);
  },
);

const WHILE_TAKEN_IN: readonly Point[] = [
  ...points('data.mdb', 'pwrite64', 1, 2, 3),
  ...points('data.mdb', 'writev', 1),
  ...points('data.mdb', 'fdatasync', 1, 2),
];

test(
  'a kill while a start replays the journal loses nothing acknowledged',
  { skip: straceFault() },
  async (t) => {
    const directory = t.testdir();
    await makeStore(directory);
    let last = 0;
    let untouched = 0;
    for (const point of WHILE_TAKEN_IN) {
      const died = await runProgram('die-with-a-journal', [directory, '40']).ended;
      const { acknowledged } = acknowledgedSets(died);
      t.strictSame(
        [died.signal, acknowledged[0], acknowledged.length],
        ['SIGKILL', last + 1, 40],
        died.stderr,
      );
      const end = await runProgram('commit-forever', [directory], killedAt(directory, point)).ended;
      const about = `${point.call} ${point.nth}`;
      t.strictSame([end.signal, end.stdout], ['SIGKILL', ''], about);
      const inTables = await checkReadable(t, directory, []);
      t.ok(inTables === last || inTables >= last + 40, `${about}: ${inTables} are in the tables`);
      if (inTables === last) untouched++;
      last = await checkStore(t, directory, acknowledged);
    }
    t.ok(untouched > 1, `${untouched} were killed before the replay of the journal`);
  },
);
