import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { graphicsCards, readCards } from '../../../src/adapters/host/graphics-cards.ts';
import { until } from '../../kit/until.ts';

const NONE = { count: 0, memoryMib: 0, models: [], problem: null };
/** Longer than any response in this test takes, shorter than a program that hangs. */
const TIMEOUT_MS = 20_000;

interface FakeDriver {
  readonly directory: string;
  /** First directory on the PATH. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Creates a program named nvidia-smi on the PATH. */
function driver(t: Test, script: string): FakeDriver {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-nvidia-'));
  t.teardown(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const program = join(directory, 'nvidia-smi');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return { directory, environment: { PATH: `${directory}:/usr/bin:/bin` } };
}

test('returns the cards that the driver lists', async (t) => {
  const { directory, environment } = driver(
    t,
    'echo "$@" > "$(dirname "$0")/asked"\nprintf "24564, NVIDIA RTX A5000\\n16376, NVIDIA RTX A4000, Max-Q\\n"',
  );
  t.same(await graphicsCards(environment, TIMEOUT_MS), {
    count: 2,
    memoryMib: 16_376,
    models: ['NVIDIA RTX A5000', 'NVIDIA RTX A4000, Max-Q'],
    problem: null,
  });
  t.equal(
    readFileSync(join(directory, 'asked'), 'utf8'),
    '--query-gpu=memory.total,name --format=csv,noheader,nounits\n',
  );
});

test('a machine without the driver has no GPU and no problem', async (t) => {
  t.same(await graphicsCards({ PATH: '/nowhere' }, TIMEOUT_MS), NONE);
});

test('a broken driver is reported as a problem, without GPUs', async (t) => {
  const problemOf = async (script: string, timeoutMs = TIMEOUT_MS): Promise<unknown> => {
    const cards = await graphicsCards(driver(t, script).environment, timeoutMs);
    t.same({ ...cards, problem: null }, NONE, script);
    return cards.problem;
  };
  t.equal(
    await problemOf('echo "NVIDIA-SMI has failed because it could not communicate with the driver"; exit 9'),
    'nvidia-smi ended with exit code 9',
  );
  t.equal(await problemOf('kill -KILL $$'), 'nvidia-smi was ended by SIGKILL');
  t.equal(await problemOf('echo No devices were found'), 'nvidia-smi returned an invalid list of GPUs');
  t.equal(await problemOf('exec yes 24564, NVIDIA'), 'nvidia-smi returned more than 262144 bytes');
  t.equal(await problemOf('exec sleep 600', 100), 'nvidia-smi did not answer within 100 ms');
});

test('an unreadable directory on the PATH is skipped', async (t) => {
  const directory = t.testdir({ file: '' });
  // A path below a file has the same effect as an unreadable directory.
  const environment = { PATH: join(directory, 'file') };
  t.same(await graphicsCards(environment, TIMEOUT_MS), { count: 0, memoryMib: 0, models: [], problem: null });
});

test('a driver without execute permission is reported as a problem', async (t) => {
  const { directory, environment } = driver(t, 'true');
  writeFileSync(join(directory, 'nvidia-smi'), 'no program');
  const { problem, count } = await graphicsCards(environment, TIMEOUT_MS);
  t.equal(count, 0);
  t.match(problem, /^nvidia-smi /);
});

test('a driver that hangs is killed together with its children', async (t) => {
  const { directory, environment } = driver(
    t,
    'echo $$ > "$(dirname "$0")/pids"\nsleep 600 &\necho $! >> "$(dirname "$0")/pids"\ntrap "" TERM\nwait',
  );
  const cards = graphicsCards(environment, 5_000);
  t.match(await cards, { count: 0, problem: 'nvidia-smi did not answer within 5000 ms' });
  const pids = readFileSync(join(directory, 'pids'), 'utf8').trim().split('\n').map(Number);
  t.equal(pids.length, 2);
  for (const pid of pids) await until(`process ${pid} has ended`, () => !isRunning(pid));
});

test('a driver that leaves a child with its output open is not waited for', async (t) => {
  const { environment } = driver(t, 'echo 8192, NVIDIA T1000\nsleep 600 &\nexit 0');
  t.match(await graphicsCards(environment, 500), { count: 0, problem: /did not answer/ });
});

test('reports memory that the driver cannot determine as 0', (t) => {
  t.same(readCards('[N/A], NVIDIA Thor\n'), {
    count: 1,
    memoryMib: 0,
    models: ['NVIDIA Thor'],
    problem: null,
  });
  t.same(readCards(''), NONE);
  t.same(readCards('24564 NVIDIA RTX'), { ...NONE, problem: 'nvidia-smi returned an invalid list of GPUs' });
  t.end();
});

/** A zombie has exited, but its parent has not waited for it yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
