import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import tap, { test } from 'tap';
import { findTree, killTree } from '../../../src/adapters/process/process-tree.ts';
import { leftoverCgroups, WorkerCgroup } from '../../../src/adapters/process/session-cgroup.ts';
import { until } from '../../kit/until.ts';
import { bothWays } from './both-ways.ts';
import { RecordedProcesses } from './recorded-processes.ts';
import { isProcessAlive } from './process-alive.ts';

tap.setTimeout(120_000);

/** Ways to escape a kill: each writes the PID of a process that does. */
const WAYS: Readonly<Record<string, string>> = {
  'a child': 'sleep 700 & echo $!',
  'a double fork': '( ( sleep 700 & echo $! ) & )',
  'its own session': 'setsid bash -c "echo \\$\\$; exec sleep 700" &',
  nohup: 'nohup bash -c "echo \\$\\$; exec sleep 700" 2>/dev/null &',
  'ignored signals': 'bash -c "trap \\"\\" TERM HUP INT; echo \\$\\$; sleep 700; sleep 700" &',
  'no environment': 'env -i /bin/sh -c "echo \\$\\$; exec /bin/sleep 700" &',
  'no environment, double fork': '( env -i /bin/sh -c "echo \\$\\$; exec /bin/sleep 700" & )',
};

/** Only a control group catches these. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  'no environment in its own session, double fork':
    '( env -i /usr/bin/setsid /bin/sh -c "echo \\$\\$; exec /bin/sleep 700" & )',
  'no environment, two sessions deep':
    '( env -i /usr/bin/setsid /bin/sh -c "/usr/bin/setsid /bin/sh -c \\"echo \\\\\\$\\\\\\$; exec /bin/sleep 700\\" &" & )',
};

const probe = new RecordedProcesses('probe');
const hasCgroups = WorkerCgroup.open(probe.workerDirectory, () => undefined) !== null;
await probe.open();
await probe.close();

const ways = { ...WAYS, ...(hasCgroups ? WAYS_OUT : {}) };
const script = Object.values(ways).join('\n');

async function leave(
  it: RecordedProcesses,
  rest: string,
  keepsChildren: boolean,
): Promise<{ readonly run: number; readonly pids: readonly number[] }> {
  const run = it.bash(`${script}\n${rest}`, { keepsChildren });
  const count = Object.keys(ways).length;
  await it.until(() =>
    it.lines(run).filter((line) => /^[0-9]+$/.test(line)).length === count ? true : null,
  );
  return { run, pids: it.lines(run).map(Number).filter(Number.isInteger) };
}

bothWays('no process of a killed action survives, however it tried to escape', {}, async (t, launcher) => {
  const it = new RecordedProcesses('killed', { launcher });
  await it.open();
  const { run, pids } = await leave(it, 'trap "" TERM; wait; sleep 700', false);
  it.processes.kill(it.sessionId, run);
  t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
  t.same(pids.filter(isProcessAlive), []);
  await it.close();
  t.same(it.warnings, []);
});

bothWays('remaining processes of a task are ended before its end is reported', {}, async (t, launcher) => {
  const it = new RecordedProcesses('left', { launcher });
  await it.open();
  const { run, pids } = await leave(it, 'read -r -t 1 < <(sleep 5); exit 7', false);
  t.same(await it.ended(run), { kind: 'exited', code: 7 });
  t.same(pids.filter(isProcessAlive), []);
  await it.close();
});

test('leftover processes of an environment run during the tasks, and end with the session', async (t) => {
  const it = new RecordedProcesses('kept');
  await it.open();
  const { run, pids } = await leave(it, 'read -r -t 1 < <(sleep 5); exit 0', true);
  t.same(await it.ended(run), { kind: 'exited', code: 0 });
  t.same(pids.filter(isProcessAlive), pids);
  const task = it.bash('sleep 700 & exit 0', { keepsChildren: false });
  await it.ended(task);
  t.same(pids.filter(isProcessAlive), pids, 'the end of a task ends only its own processes');
  await it.close();
  t.same(pids.filter(isProcessAlive), []);
});

test('without control groups processes are found by environment, session, parents and earlier observations', async (t) => {
  const marker = `CALLSHEET_SESSION=bare-${process.pid}`;
  const start = async (): Promise<{ readonly leader: number; readonly pids: readonly number[] }> => {
    const child = spawn('bash', ['-c', `${Object.values(WAYS).join('\n')}\necho all\nwait; sleep 700`], {
      env: { PATH: process.env['PATH'], CALLSHEET_SESSION: marker.slice(marker.indexOf('=') + 1) },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pids: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (/^[0-9]+$/.test(line)) pids.push(Number(line));
      if (pids.length === Object.keys(WAYS).length) break;
    }
    return { leader: child.pid ?? 0, pids };
  };
  const first = await start();
  const tree = { marker, cgroup: null, leader: first.leader, known: new Map<number, string>(), since: null };
  const known = await findTree(tree);
  t.same(
    first.pids.filter((pid) => !known.has(pid)),
    [],
  );
  t.same(await killTree(tree), []);
  t.same([first.leader, ...first.pids].filter(isProcessAlive), []);
  const second = await start();
  // A double fork is found by its parents until the shell between has ended.
  const seen = await until('without the leader not all are found', async () => {
    const all = await findTree({ ...tree, leader: second.leader });
    const withoutLeader = await findTree({ ...tree, leader: null });
    return withoutLeader.size < all.size ? all : null;
  });
  t.same(await killTree({ ...tree, leader: null, known: seen }), []);
  t.same([second.leader, ...second.pids].filter(isProcessAlive), []);
  t.same(await killTree({ ...tree, leader: null, known: new Map([[process.ppid, 'another start']]) }), []);
});

test('control groups are removed with their sessions', { skip: !hasCgroups }, async (t) => {
  const it = new RecordedProcesses('groups');
  await it.open();
  const run = it.bash('cat /proc/self/cgroup');
  await it.ended(run);
  const group = it
    .lines(run)
    .map((line) => line.split(':').slice(2).join(':'))
    .find((line) => line.endsWith('/run-1'));
  t.match(group, new RegExp(`/callsheet-[0-9a-f]{16}/${it.sessionId}/run-1$`));
  const place = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup', '/sys/fs/cgroup/freezer'].find((mount) =>
    existsSync(`${mount}${String(group)}`),
  );
  t.type(place, 'string');
  await it.close();
  t.equal(existsSync(`${String(place)}${String(group).split('/').slice(0, -2).join('/')}`), false);
});

test('the control group of an action is removed with its last process', { skip: !hasCgroups }, async (t) => {
  const it = new RecordedProcesses('groups');
  await it.open();
  const groups = (): readonly string[] =>
    leftoverCgroups(it.workerDirectory).flatMap(({ path }) =>
      readdirSync(join(path, it.sessionId)).filter((name) => name.startsWith('run-')),
    );
  await it.ended(it.bash('true', { keepsChildren: false }));
  await it.ended(it.bash('sleep 700 & disown', { keepsChildren: false }));
  t.same(groups(), []);
  await it.ended(it.bash('exec >/dev/null 2>&1; sleep 700 & disown', { keepsChildren: true }));
  t.same(groups(), ['run-3'], 'processes of an environment continue');
  await it.close();
});

const HIDDEN_PROC = `
  const { findTree } = await import(process.argv[1]);
  process.setuid(65534);
  const tree = { marker: 'CALLSHEET_ACTION=none', cgroup: null, leader: process.pid, known: new Map(), since: null };
  console.log(JSON.stringify([...(await findTree(tree)).keys()]));
`;

test('hidden processes are not treated as processes of a session', async (t) => {
  const module = new URL('../../../src/adapters/process/process-tree.js', import.meta.url).href;
  const said = spawnSync(
    'unshare',
    [
      '--mount',
      'bash',
      '-c',
      'mount -t proc -o hidepid=1 proc /proc && exec "$@"',
      'bash',
      process.execPath,
      '--input-type=module',
      '--eval',
      HIDDEN_PROC,
      module,
    ],
    { encoding: 'utf8' },
  );
  if (said.status === null || /unshare|mount/.test(said.stderr)) {
    t.comment(`cannot mount a separate /proc: ${said.stderr}`);
    return;
  }
  t.equal(said.stdout, '[]\n', said.stderr);
});
