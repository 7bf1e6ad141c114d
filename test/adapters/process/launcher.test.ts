import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'tap';
import { leftoverCgroups } from '../../../src/adapters/process/session-cgroup.ts';
import { processFile } from '../../kit/process-file.ts';
import { bothWays } from './both-ways.ts';
import { RecordedProcesses } from './recorded-processes.ts';
import { isProcessAlive } from './process-alive.ts';

/** Prints the PID of its parent process. */
async function parentOf(it: RecordedProcesses): Promise<number> {
  const run = it.bash('echo $PPID');
  await it.ended(run);
  return Number(it.lines(run)[0]);
}

const programOf = (pid: number): string => processFile(pid, 'cmdline').replaceAll('\0', ' ');

const allProcesses = (): readonly number[] =>
  readdirSync('/proc').flatMap((name) => (/^[0-9]+$/.test(name) ? [Number(name)] : []));

test('one launcher starts the tasks of a session, and the daemon starts actions of environments', async (t) => {
  const it = new RecordedProcesses('parents', { launcher: true });
  await it.open();
  const launcher = await parentOf(it);
  t.match(programOf(launcher), /^perl .*launcher\.pl/);
  t.equal(await parentOf(it), launcher);
  const environment = it.bash('echo $PPID', { keepsChildren: true });
  await it.ended(environment);
  t.same(it.lines(environment), [String(process.pid)]);
  await it.close();
  t.equal(isProcessAlive(launcher), false);
});

test('a launcher has the markers of its session in its environment', async (t) => {
  const it = new RecordedProcesses('marks', { launcher: true });
  await it.open();
  const launcher = await parentOf(it);
  await it.ended(it.start('true', [], { variables: { OTHER: 'x'.repeat(1000) } }));
  const environment = processFile(launcher, 'environ').split('\0');
  t.ok(environment.includes(`CALLSHEET_SESSION=${it.sessionId}`), environment.join(' '));
  t.ok(environment.includes(`CALLSHEET_WORKER_DIR=${it.workerDirectory}`));
  await it.close();
});

/** Returns the PID of the session's guard. */
function guardOf({ sessionId }: RecordedProcesses): number {
  const guard = allProcesses().find((pid) => programOf(pid).includes(`CALLSHEET_SESSION=${sessionId}`));
  if (guard === undefined) throw new Error(`${sessionId} has no guard`);
  return guard;
}

test('a session without its guard starts no more tasks', async (t) => {
  const it = new RecordedProcesses('unguarded', { launcher: true });
  await it.open();
  const launcher = await parentOf(it);
  process.kill(guardOf(it), 'SIGKILL');
  while (it.warnings.length === 0) await turn();
  t.equal(isProcessAlive(launcher), true);
  const run = it.bash('echo ran');
  t.same(await it.ended(run), { kind: 'fenced' });
  t.same(it.lines(run), []);
  await it.close();
});

test('a session that ends while its launcher starts leaves no process behind', async (t) => {
  const it = new RecordedProcesses('soon-over', { tasksBeforeLauncher: 1 });
  await it.open();
  await it.ended(it.start('true', [], { keepsChildren: false }));
  it.processes.close(it.sessionId, { keepDirectory: false });
  await it.until((told) => (told.type === 'closed' ? told : null));
  const groups = (): readonly string[] =>
    leftoverCgroups(it.workerDirectory).flatMap(({ path }) =>
      readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [entry.name] : [],
      ),
    );
  const launchers = (): readonly number[] =>
    allProcesses().filter((pid) => processFile(pid, 'environ').includes(`CALLSHEET_SESSION=${it.sessionId}`));
  while (groups().length + launchers().length > 0) await turn();
  t.same(it.warnings, []);
  await it.processes.settled();
  rmSync(it.workerDirectory, { recursive: true, force: true });
});

bothWays(
  'a process outside the control group but in the process group ends with the task',
  {},
  async (t, launcher) => {
    const it = new RecordedProcesses('taken-out', { launcher });
    await it.open();
    const outside = leftoverCgroups(it.workerDirectory).map(({ path }) =>
      join(dirname(path), 'cgroup.procs'),
    );
    const [procs = '/dev/null'] = outside;
    const script = `env -i /bin/sleep 700 >/dev/null 2>&1 & echo $! | tee ${procs}; echo $!; exit 5`;
    const run = it.bash(script, { keepsChildren: false });
    t.same(await it.ended(run), { kind: 'exited', code: 5 });
    const left = Number(it.lines(run).at(-1));
    t.equal(isProcessAlive(left), false);
    if (launcher && outside.length > 0) {
      const next = it.bash('cat /proc/$PPID/cmdline');
      await it.ended(next);
      t.match(it.lines(next).join(''), 'launcher.pl', 'the launcher is not in that group');
    }
    await it.close();
    t.same(it.warnings, []);
  },
);

test('the daemon starts the first tasks of a session without a launcher', async (t) => {
  const it = new RecordedProcesses('daemon');
  await it.open();
  t.equal(await parentOf(it), process.pid);
  await it.close();
});

test('a task that leaves a process running ends at most the launcher of its session', async (t) => {
  const it = new RecordedProcesses('left', { launcher: true });
  await it.open();
  const run = it.bash('sleep 700 & echo $!; exit 3');
  t.same(await it.ended(run), { kind: 'exited', code: 3 });
  const [left = 0] = it.lines(run).map(Number);
  t.equal(isProcessAlive(left), false);
  const next = it.bash('echo next');
  t.same(await it.ended(next), { kind: 'exited', code: 0 });
  t.same(it.lines(next), ['next']);
  await it.close();
  t.same(it.warnings, []);
});

test('a killed launcher ends its task, and the session continues', async (t) => {
  const it = new RecordedProcesses('killed', { launcher: true });
  await it.open();
  const run = it.bash('echo $PPID $$; sleep 700; echo never');
  await it.until(() => (it.lines(run).length > 0 ? true : null));
  const [launcher = 0, task = 0] = (it.lines(run)[0] ?? '').split(' ').map(Number);
  process.kill(launcher, 'SIGKILL');
  t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
  t.equal(isProcessAlive(task), false);
  t.same(await it.ended(it.bash('exit 4')), { kind: 'exited', code: 4 });
  await it.close();
});

test('descriptors, directory and variables of a task do not affect the next one', async (t) => {
  const it = new RecordedProcesses('apart', { launcher: true });
  await it.open();
  const nonblocking = `
    const { constants } = require('node:fs');
    process.stdout._handle?.setBlocking?.(false);
    process.stdout.write('set\\n');
  `;
  await it.ended(it.start(process.execPath, ['--eval', nonblocking]));
  await it.ended(it.bash('cd /; export LEFT=over; echo -n "no line feed"; umask 077; ulimit -n 10'));
  const flags = it.bash(
    'grep flags /proc/self/fdinfo/1 | cut -f2; pwd; echo "${LEFT-none}"; umask; (( $(ulimit -n) > 10 )) && echo files',
  );
  await it.ended(flags);
  const [status = '', ...rest] = it.lines(flags);
  // 04000 is O_NONBLOCK.
  t.equal(Number.parseInt(status, 8) & 0o4000, 0);
  t.same(rest, [it.directory, 'none', process.umask().toString(8).padStart(4, '0'), 'files']);
  await it.close();
});

test('signals have their defaults, and no descriptor of the launcher is open', async (t) => {
  const it = new RecordedProcesses('signals', { launcher: true });
  await it.open();
  const script =
    'grep -E "^Sig(Blk|Ign)" /proc/self/status; ls /proc/self/fd | head -3; cut -d" " -f5,6 /proc/$$/stat; echo $$';
  const run = it.start('bash', ['-c', script]);
  await it.ended(run);
  const [blocked, ignored, first, second, third, ids = '', pid = ''] = it.lines(run);
  t.same([blocked, ignored], ['SigBlk:\t0000000000000000', 'SigIgn:\t0000000000000000']);
  t.same([first, second, third], ['0', '1', '2']);
  t.equal(ids, `${pid} ${pid}`, 'its own process group and session');
  const open = it.start('ls', ['/proc/self/fd']);
  await it.ended(open);
  // The fourth is the descriptor of the directory itself.
  t.equal(it.lines(open).length, 4);
  await it.close();
});

test('an unchanged file is not written again, and any other file is replaced', async (t) => {
  const it = new RecordedProcesses('files', { launcher: true });
  await it.open();
  const path = join(it.directory, 'rules.json');
  const run = async (data: string, runnable = false): Promise<unknown> =>
    it.ended(it.start('true', [], { files: [{ path, data, runnable }] }));
  const content = (): readonly [string, string] => [
    readFileSync(path, 'utf8'),
    (statSync(path).mode & 0o777).toString(8),
  ];
  await run('one');
  utimesSync(path, 1, 1);
  await run('one');
  t.equal(statSync(path).mtimeMs, 1000);
  await run('one', true);
  t.same(content(), ['one', '700']);
  await run('two');
  t.same(content(), ['two', '600']);
  await run('three');
  t.same(content(), ['three', '600']);
  await run('3');
  t.same(content(), ['3', '600']);
  writeFileSync(path, 'X');
  await run('3');
  t.same(content(), ['3', '600']);
  execFileSync('bash', ['-c', 'rm "$0" && mkfifo "$0"', path]);
  await run('after a pipe');
  t.same(content(), ['after a pipe', '600']);
  execFileSync('bash', ['-c', 'rm "$0" && ln -s /dev/null "$0"', path]);
  t.match(await run('no link'), {
    kind: 'not-started',
    reason: /^an embedded file could not be written: ELOOP/,
  });
  await it.close();
});
