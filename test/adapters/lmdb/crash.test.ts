import { spawnSync } from 'node:child_process';
import { t as tap, test } from 'tap';
import { checkReadable, checkStore, acknowledgedSets } from './numbered-sets.ts';
import { runProgram } from './store-kit.ts';

/**
 * Rows F1 and F5 of the fault matrix (docs/faults.md#the-fault-matrix) for the store alone. numbered-sets.ts describes
 * the content of a set.
 */

/** In milliseconds: the test starts some thirty processes. */
tap.setTimeout(180_000);

test('20 kills with SIGKILL during commits lose nothing acknowledged', async (t) => {
  const directory = t.testdir();
  let told = 0;
  let last = 0;
  let unread = 0;
  let takenIn = 0;
  for (let round = 1; round <= 20; round++) {
    const program = runProgram('commit-forever', [directory]);
    await program.printed(1 + ((round * 37) % 120));
    program.process.kill('SIGKILL');
    const end = await program.ended;
    t.equal(end.signal, 'SIGKILL');
    const { acknowledged, readable } = acknowledgedSets(end);
    t.equal(acknowledged[0], last + 1, 'the process continues after the store has ended');
    told += acknowledged.length;
    const inTables = await checkReadable(t, directory, []);
    t.ok(inTables >= readable, 'sets reported as readable are in the tables');
    unread += acknowledged.filter((n) => n > inTables).length;
    last = await checkStore(t, directory, acknowledged);
    takenIn += last - inTables;
  }
  t.ok(last >= told, `${told} sets were acknowledged, ${last} are stored`);
  t.ok(unread > 0, `${unread} acknowledged sets were only in the journal`);
  t.ok(takenIn >= unread, `${takenIn} sets were replayed by the next start`);
});

test('kill -9 between sets and rows of large jobs loses nothing acknowledged', async (t) => {
  const directory = t.testdir();
  let last = 0;
  for (const count of [30, 90, 61, 140]) {
    const end = await runProgram('commit-forever', [directory, String(count), 'large']).ended;
    t.equal(end.signal, 'SIGKILL', end.stderr);
    const { acknowledged } = acknowledgedSets(end);
    t.strictSame([acknowledged[0], acknowledged.length >= count], [last + 1, true]);
    last = await checkStore(t, directory, acknowledged);
  }
});

const straceFault = (): string | false => {
  const run = spawnSync('strace', ['-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (run.error) return 'strace is not installed';
  return run.status === 0 ? false : `strace cannot trace here: ${run.stderr.trim()}`;
};

/** Runs the program while a system call of the store fails from call number `from` on. */
const withFailing = (call: string, error: string, from: number): string[] => [
  'strace',
  ...[
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:error=${error}:when=${from}+`,
  ],
];

/** Opening a store takes a call for each of its tables: these are later ones, an even and an odd one. */
for (const from of [100, 121]) {
  test(
    `fdatasync fails from call ${from} on: the process ends and has acknowledged only stored sets`,
    {
      skip: straceFault(),
    },
    async (t) => {
      const directory = t.testdir();
      const end = await runProgram('commit-forever', [directory], withFailing('fdatasync', 'EIO', from))
        .ended;
      t.match(end.stderr, /^callsheet: ending the process \(commit-failed\): a commit to .* failed: .*\n$/);
      t.strictSame([end.code, end.signal], [74, null]);
      await checkStore(t, directory, acknowledgedSets(end).acknowledged);
    },
  );
}

test(
  'a page write fails: the process ends and has acknowledged only stored sets',
  {
    skip: straceFault(),
  },
  async (t) => {
    const directory = t.testdir();
    const end = await runProgram('commit-forever', [directory], withFailing('pwrite64', 'EIO', 200)).ended;
    // LMDB writes beyond a buffer when it formats this error
    // (docs/dependency-hazards.md#d2-a-full-disk-corrupts-memory): the C library may abort before the program can exit.
    t.ok(
      end.code === 74 || end.signal === 'SIGABRT' || end.signal === 'SIGSEGV',
      JSON.stringify([end.code, end.signal]),
    );
    await checkStore(t, directory, acknowledgedSets(end).acknowledged);
  },
);
