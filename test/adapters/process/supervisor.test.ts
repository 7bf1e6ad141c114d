import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test, type Test } from 'tap';
import { killLeftoverProcesses } from '../../../src/adapters/process/boot-fence.ts';
import { PROCESS_LIMITS } from '../../../src/adapters/process/limits.ts';
import {
  Supervisor,
  supervisorScript,
  type SupervisorOptions,
} from '../../../src/adapters/process/supervisor.ts';
import { processFile } from '../../kit/process-file.ts';
import { bothWays } from './both-ways.ts';
import type { ActionEnd } from '../../../src/core/ports/task-processes.ts';

const guard = (options: Partial<SupervisorOptions>): Supervisor =>
  Supervisor.start({
    script: supervisorScript(),
    marker: 'CALLSHEET_SESSION=nobody',
    cgroup: null,
    beatTimeoutSeconds: PROCESS_LIMITS.beatTimeoutSeconds,
    contactLeftMs: () => null,
    onGone: () => undefined,
    ...options,
  });

/**
 * Starts three processes that hold the FIFO open: one that ignores SIGTERM, one in its own session, and one in the
 * group without the markers.
 */
const treeHolding = (fifo: string): string =>
  [
    `exec 9>${fifo}`,
    'trap "" TERM HUP',
    '( setsid bash -c "trap \\"\\" TERM HUP; sleep 600 & wait" & )',
    'env -i /bin/sleep 600 &',
    'echo up >&9',
    'wait; wait',
  ].join('\n');

interface Daemon {
  readonly process: ChildProcess;
  /** Resolves when all processes of the tree have ended. */
  readonly treeGone: Promise<void>;
  readonly ended: Promise<ActionEnd>;
}

/** Starts a daemon with a complete process tree. */
async function daemon(
  t: Test,
  attempt: string,
  launcher: boolean,
  beatTimeoutSeconds: number,
  ...contactMs: readonly number[]
): Promise<Daemon> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-supervisor-'));
  t.teardown(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const fifo = join(directory, 'held');
  execFileSync('mkfifo', [fifo]);
  const program = fileURLToPath(new URL('programs/daemon-process.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      program,
      attempt,
      treeHolding(fifo),
      String(beatTimeoutSeconds),
      String(launcher),
      ...contactMs.map(String),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise<ActionEnd>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const told = JSON.parse(line) as { type: string; end?: ActionEnd };
      if (told.type === 'ended' && told.end !== undefined) resolve(told.end);
    });
  });
  const held = createReadStream(fifo);
  const treeGone = once(held, 'close').then(() => undefined);
  await once(held, 'data');
  return { process: child, treeGone, ended };
}

bothWays('when the daemon is killed, the whole tree ends', {}, async (t, launcher) => {
  const it = await daemon(t, 'orphans', launcher, PROCESS_LIMITS.beatTimeoutSeconds);
  it.process.kill('SIGKILL');
  await it.treeGone;
  t.equal(it.process.exitCode, null);
});

bothWays(
  'when the daemon is suspended, its processes are killed, and it detects this when it continues',
  {},
  async (t, launcher) => {
    const it = await daemon(t, 'stopped', launcher, 1);
    it.process.kill('SIGSTOP');
    await it.treeGone;
    it.process.kill('SIGCONT');
    t.same(await it.ended, { kind: 'fenced' });
  },
);

bothWays(
  'when the contact ends while the daemon is suspended, the tree ends before the beat timeout',
  {},
  async (t, launcher) => {
    const it = await daemon(t, 'contact', launcher, PROCESS_LIMITS.beatTimeoutSeconds, 3000);
    it.process.kill('SIGSTOP');
    await it.treeGone;
    it.process.kill('SIGCONT');
    t.same(await it.ended, { kind: 'fenced' });
  },
);

test('when the contact has ended, the supervisor does not wait for the daemon', async (t) => {
  let leftMs: number | null = 60_000;
  let gone: () => void = () => undefined;
  const isGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const supervisor = guard({ contactLeftMs: () => leftMs, onGone: () => gone() });
  t.equal(await supervisor.state(), 'guarding');
  leftMs = -5;
  await isGone;
  t.equal(await supervisor.state(), 'fenced');
});

bothWays('when the supervisor is killed, the daemon ends the tree', {}, async (t, launcher) => {
  const it = await daemon(t, 'unguarded', launcher, PROCESS_LIMITS.beatTimeoutSeconds);
  for (const pid of childrenOf(it.process.pid ?? 0)) {
    if (processFile(pid, 'cmdline').includes('supervisor.sh')) process.kill(pid, 'SIGKILL');
  }
  await it.treeGone;
  t.same(await it.ended, { kind: 'fenced' });
});

test('a daemon ends leftover processes of an earlier one before it registers', async (t) => {
  const workerDirectory = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-fence-')));
  t.teardown(() => {
    rmSync(workerDirectory, { recursive: true, force: true });
  });
  const left = spawn('bash', ['-c', 'trap "" TERM; echo up; sleep 600 & wait'], {
    env: { PATH: process.env['PATH'], CALLSHEET_WORKER_DIR: workerDirectory },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const other = spawn('sleep', ['600'], {
    env: { PATH: process.env['PATH'], CALLSHEET_WORKER_DIR: `${workerDirectory}-other` },
    stdio: 'ignore',
  });
  t.teardown(() => other.kill('SIGKILL'));
  await once(left.stdout, 'data');
  const exit = once(left, 'exit');
  t.same(await killLeftoverProcesses(workerDirectory), []);
  t.same(await exit, [null, 'SIGKILL']);
  t.equal(other.exitCode ?? other.signalCode, null, 'the process of another worker is not affected');
});

test('a supervisor answers while it guards, and exits without a kill on request', async (t) => {
  let gone = 0;
  const supervisor = guard({ onGone: () => (gone += 1) });
  t.same(await Promise.all([supervisor.state(), supervisor.state()]), ['guarding', 'guarding']);
  supervisor.end();
  t.equal(await supervisor.state(), 'lost');
  t.equal(gone, 0);
});

test('a supervisor that cannot be started is reported as lost', async (t) => {
  let gone = 0;
  const supervisor = guard({ script: '/no/such/script', onGone: () => (gone += 1) });
  t.equal(await supervisor.state(), 'lost');
  t.equal(gone, 1);
});

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
