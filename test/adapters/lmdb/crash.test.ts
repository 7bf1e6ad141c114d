import { spawnSync } from 'node:child_process';
import { t as tap, test, type Test } from 'tap';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { runProgram, writerOptions, type Ended } from './store-kit.ts';

/** Fault matrix F1 and F5 (reliability.md) of the store alone: programs/commit-forever.ts says what a set holds. */

/** Milliseconds: some thirty processes are started. */
tap.setTimeout(180_000);

const acknowledgedIn = ({ stdout }: Ended): number[] => {
  // The last line may be cut off by the kill: it is not counted as told.
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return whole.split('\n').filter(Boolean).map(Number);
};

/** Opens the store again and checks that it holds each acknowledged set, and each set whole or not at all. Gives the newest set. */
async function checkStore(t: Test, directory: string, acknowledged: readonly number[]): Promise<number> {
  const writer = await openStateWriter(writerOptions(directory));
  const reader = await openStateReader(directory);
  const numbers = [...reader.scan('farm')].map(({ key }) => Number(key));
  const newest = reader.get('taskPage', 'newest');
  const halves = [...reader.scan('taskPage', { prefix: 'half-' })].map(({ key }) => key);
  const last = numbers.at(-1) ?? 0;
  t.strictSame(
    acknowledged.filter((n) => n > last),
    [],
    'every acknowledged set is there',
  );
  t.strictSame(
    numbers,
    Array.from({ length: last }, (_, i) => i + 1),
    'no set is missing before the newest',
  );
  t.equal(new DataView(newest?.buffer ?? new ArrayBuffer(4)).getUint32(0, true), last);
  t.strictSame(halves, last === 0 ? [] : [`half-${last}`], 'no set is there in part');
  await reader.close();
  await writer.close();
  return last;
}

test('kill -9 of a committing process, 20 times: nothing acknowledged is lost', async (t) => {
  const directory = t.testdir();
  let told = 0;
  let last = 0;
  for (let round = 1; round <= 20; round++) {
    const program = runProgram('commit-forever', [directory]);
    await program.printed(1 + ((round * 37) % 120));
    program.process.kill('SIGKILL');
    const end = await program.ended;
    t.equal(end.signal, 'SIGKILL');
    const acknowledged = acknowledgedIn(end);
    t.equal(acknowledged[0], last + 1, 'the process went on where the store ended');
    told += acknowledged.length;
    last = await checkStore(t, directory, acknowledged);
  }
  t.ok(last >= told, `${told} sets were acknowledged, ${last} are there`);
});

const straceFault = (): string | false => {
  const run = spawnSync('strace', ['-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (run.error) return 'strace is not installed';
  return run.status === 0 ? false : `strace cannot trace here: ${run.stderr.trim()}`;
};

/** Runs the program while a system call of the store fails from the given time on. */
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

for (const from of [40, 61]) {
  test(
    `fdatasync fails from the ${from}th time on: the process ends, nothing is acknowledged that is not there`,
    {
      skip: straceFault(),
    },
    async (t) => {
      const directory = t.testdir();
      const end = await runProgram('commit-forever', [directory], withFailing('fdatasync', 'EIO', from))
        .ended;
      t.match(end.stderr, /^callsheet: ending the process \(commit-failed\): a commit to .* failed: .*\n$/);
      t.strictSame([end.code, end.signal], [74, null]);
      await checkStore(t, directory, acknowledgedIn(end));
    },
  );
}

test(
  'a page cannot be written: the process ends, nothing is acknowledged that is not there',
  {
    skip: straceFault(),
  },
  async (t) => {
    const directory = t.testdir();
    const end = await runProgram('commit-forever', [directory], withFailing('pwrite64', 'EIO', 200)).ended;
    // LMDB writes beyond a buffer when it words this error (reliability.md, D2): the C library may abort before the program can exit.
    t.ok(
      end.code === 74 || end.signal === 'SIGABRT' || end.signal === 'SIGSEGV',
      JSON.stringify([end.code, end.signal]),
    );
    await checkStore(t, directory, acknowledgedIn(end));
  },
);
