import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { bothWays } from './both-ways.ts';
import { RecordedProcesses } from './recorded-processes.ts';
import { isProcessAlive } from './process-alive.ts';

bothWays('the events of an action are in order: opened, started, output, end', {}, async (t, launcher) => {
  const it = new RecordedProcesses('plain', { launcher });
  await it.open();
  const run = it.bash('echo one; exit 0');
  await it.ended(run);
  await it.close();
  t.same(it.told, [
    { type: 'opened', failure: null },
    { type: 'started', run: 1 },
    { type: 'output', run: 1, batch: { stream: 'stdout', lines: ['one'], bytes: 4 } },
    { type: 'ended', run: 1, end: { kind: 'exited', code: 0 }, usage: null },
    { type: 'closed' },
  ]);
  t.same(it.warnings, []);
});

bothWays(
  'exit codes and signals are reported unchanged, including those that a shell confuses',
  {},
  async (t, launcher) => {
    const it = new RecordedProcesses('codes', { launcher });
    await it.open();
    t.same(await it.ended(it.bash('exit 3')), { kind: 'exited', code: 3 });
    t.same(await it.ended(it.bash('exit 137')), { kind: 'exited', code: 137 });
    t.same(await it.ended(it.bash('kill -KILL $$')), { kind: 'signaled', signal: 'SIGKILL' });
    t.same(await it.ended(it.bash('kill -SEGV $$')), { kind: 'signaled', signal: 'SIGSEGV' });
    await it.close();
  },
);

bothWays('an action that cannot be started fails with a reason', {}, async (t, launcher) => {
  const it = new RecordedProcesses('not-started', { launcher });
  await it.open();
  const file = join(it.directory, 'plain-file');
  const script = join(it.directory, 'script');
  writeFileSync(file, 'x', { mode: 0o600 });
  writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o700 });
  const reason = async (command: string, args: string[] = []): Promise<unknown> =>
    it.ended(it.start(command, args));
  t.same(await reason('no-such-command-here'), {
    kind: 'not-started',
    reason: 'command not found: no-such-command-here',
  });
  t.same(await reason('/no/such/command'), {
    kind: 'not-started',
    reason: 'command not found: /no/such/command',
  });
  t.same(await reason(file), { kind: 'not-started', reason: `command not executable: ${file}` });
  t.same(await reason(script), { kind: 'not-started', reason: `the interpreter of ${script} was not found` });
  t.match(await reason('echo', ['a\0b']), { kind: 'not-started', reason: /^echo could not be started: / });
  t.same(await reason('echo', ['x'.repeat(200_000)]), {
    kind: 'not-started',
    reason: 'its arguments and environment are too long',
  });
  rmSync(it.directory, { recursive: true });
  t.same(await reason('echo'), { kind: 'not-started', reason: 'its working directory does not exist' });
  await it.close();
  t.equal(it.told.filter((told) => told.type === 'started').length, 0);
});

test('an existing directory cannot become a session directory', async (t) => {
  const it = new RecordedProcesses('taken');
  mkdirSync(it.directory, { recursive: true });
  await t.rejects(it.open(), /EEXIST/);
  await it.close();
});

bothWays(
  'output is read by stream and line, the last line without line feed, through pipes that can be reopened',
  {},
  async (t, launcher) => {
    const it = new RecordedProcesses('streams', { launcher });
    await it.open();
    const run = it.bash(
      'echo out; echo err >&2; echo again >/dev/stdout; echo more >/dev/stderr; printf "a\\xffb\\nend"',
    );
    await it.ended(run);
    t.same(it.lines(run, 'stdout'), ['out', 'again', 'a\\xffb', 'end']);
    t.same(it.lines(run, 'stderr'), ['err', 'more']);
    await it.close();
  },
);

bothWays(
  'the process gets the environment of the worker, the given variables, and markers that no variable overrides',
  {},
  async (t, launcher) => {
    const own = {
      PATH: process.env['PATH'],
      KEEP: 'kept',
      GONE: 'x',
      SVC_BUS_URL: 'secret',
      AWS_SECRET_ACCESS_KEY: 'secret',
      NATS_PASSWORD: 'secret',
      FARM_TOKEN: 'secret',
      LD_LIBRARY_PATH: '/nowhere',
    };
    const it = new RecordedProcesses('environment', { launcher, ownEnvironment: own });
    await it.open();
    const variables = {
      GONE: null,
      ADDED: 'two\nlines',
      KEEP: 'changed',
      CALLSHEET_SESSION: 'forged',
      FARM_TOKEN: 'of the job',
    };
    const run = it.start('env', ['-0'], { variables });
    await it.ended(run);
    const ofTheTestRunner = /^(NODE_OPTIONS|_TAPJS_.*)=|^$/;
    const entries = it.lines(run).join('\n').split('\0');
    const environment = entries.filter((entry) => !ofTheTestRunner.test(entry)).sort();
    t.same(environment, [
      'ADDED=two\nlines',
      `CALLSHEET_ACTION=${it.sessionId}.1`,
      `CALLSHEET_SESSION=${it.sessionId}`,
      `CALLSHEET_WORKER_DIR=${it.workerDirectory}`,
      'FARM_TOKEN=of the job',
      'KEEP=changed',
      `PATH=${String(process.env['PATH'])}`,
    ]);
    await it.close();
  },
);

bothWays(
  'files are written for their owner only before each run, and the process runs in the session directory',
  {},
  async (t, launcher) => {
    const it = new RecordedProcesses('files', { launcher });
    await it.open();
    const path = join(it.directory, 'files', 'script.sh');
    const file = (data: string, runnable: boolean) => ({ files: [{ path, data, runnable }] });
    const first = it.start(path, [], file('#!/bin/bash\npwd; echo first', true));
    t.same(await it.ended(first), { kind: 'exited', code: 0 });
    t.same(it.lines(first), [it.directory, 'first']);
    const second = it.start('bash', [path], file('echo second', false));
    await it.ended(second);
    t.same(it.lines(second), ['second']);
    t.equal(statSync(path).mode & 0o777, 0o600);
    const denied = it.start(path, [], file('#!/bin/bash\n', false));
    t.same(await it.ended(denied), { kind: 'not-started', reason: `command not executable: ${path}` });
    const blocked = it.start('true', [], {
      files: [{ path: join(path, 'below'), data: '', runnable: false }],
    });
    t.match(await it.ended(blocked), {
      kind: 'not-started',
      reason: /^an embedded file could not be written: /,
    });
    await it.close();
    t.equal(existsSync(it.directory), false);
  },
);

bothWays('a directory that a task made read-only is removed', {}, async (t, launcher) => {
  const it = new RecordedProcesses('read-only', { launcher });
  await it.open();
  await it.ended(it.bash('mkdir -p deep/er; touch deep/er/file; chmod 500 deep/er deep'));
  await it.close();
  t.equal(existsSync(it.directory), false);
  t.same(it.warnings, []);
});

bothWays('SIGTERM reaches the whole group; the process may end as it likes', {}, async (t, launcher) => {
  const it = new RecordedProcesses('terminate', { launcher });
  await it.open();
  const run = it.bash('trap "echo asked; exit 0" TERM; echo ready; sleep 600 & wait');
  await it.line(run, 'ready');
  it.processes.askToEnd(it.sessionId, run);
  t.same(await it.ended(run), { kind: 'exited', code: 0 });
  t.same(it.lines(run), ['ready', 'asked']);
  await it.close();
});

bothWays('a notice writes cancel_info.json before the signal', {}, async (t, launcher) => {
  const it = new RecordedProcesses('notify', { launcher });
  await it.open();
  const run = it.bash('trap "cat cancel_info.json; exit 0" TERM; echo ready; sleep 600 & wait');
  await it.line(run, 'ready');
  it.processes.notify(it.sessionId, run, Date.UTC(2026, 10, 20, 12, 30, 15, 250));
  await it.ended(run);
  t.same(it.lines(run), ['ready', '{"NotifyEnd":"2026-11-20T12:30:15Z"}']);
  await it.close();
});

bothWays(
  'a kill ends processes that ignore SIGTERM, left the group, forked twice or hide their parent',
  {},
  async (t, launcher) => {
    const it = new RecordedProcesses('kill', { launcher });
    await it.open();
    const run = it.bash(
      [
        'trap "" TERM',
        'nohup sleep 601 >/dev/null 2>&1 & echo $!',
        '( setsid bash -c "trap \\"\\" TERM; echo \\$\\$; sleep 602 & echo \\$!; wait" & )',
        'env -i /bin/sleep 603 & echo $!',
        'sleep 604 & echo $!',
        'wait',
      ].join('\n'),
    );
    await it.until(() => (it.lines(run).length === 5 ? true : null));
    const pids = it.lines(run).map(Number);
    t.same(pids.map(isProcessAlive), [true, true, true, true, true]);
    it.processes.kill(it.sessionId, run);
    t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
    await it.close();
    t.same(pids.map(isProcessAlive), [false, false, false, false, false]);
    t.same(it.warnings, []);
  },
);

bothWays(
  'a kill does not end processes that another action of the session left running',
  {},
  async (t, launcher) => {
    const it = new RecordedProcesses('background', { launcher });
    await it.open();
    const first = it.bash('setsid sleep 600 >/dev/null 2>&1 & echo $!', { keepsChildren: true });
    await it.ended(first);
    const [background] = it.lines(first).map(Number);
    const second = it.bash('echo ready; sleep 600');
    await it.line(second, 'ready');
    it.processes.kill(it.sessionId, second);
    await it.ended(second);
    t.equal(isProcessAlive(background ?? 0), true);
    await it.close();
    t.equal(isProcessAlive(background ?? 0), false, 'they end with the session');
  },
);

bothWays('a child that keeps the pipe open does not delay the end', {}, async (t, launcher) => {
  const it = new RecordedProcesses('held-pipe', { launcher });
  await it.open();
  const run = it.bash('echo last; setsid sleep 600 &');
  t.same(await it.ended(run), { kind: 'exited', code: 0 });
  t.same(it.lines(run), ['last']);
  await it.close();
});

bothWays('a process that closes its output continues until it exits', {}, async (t, launcher) => {
  const it = new RecordedProcesses('closed-output', { launcher });
  await it.open();
  const run = it.bash('exec >&- 2>&-; read -t 0.2 < <(sleep 5); exit 4');
  t.same(await it.ended(run), { kind: 'exited', code: 4 });
  t.same(it.lines(run), []);
  await it.close();
});

bothWays('unconsumed output blocks the process', {}, async (t, launcher) => {
  const it = new RecordedProcesses('flood', { launcher, consume: false });
  await it.open();
  const run = it.bash(
    'yes "0123456789012345678901234567890123456789012345678901234567890" | head -c 8000000; echo; echo done',
  );
  const delivered = (): number =>
    it.told.reduce((sum, told) => sum + (told.type === 'output' ? told.batch.bytes : 0), 0);
  await it.until(() => (delivered() >= 256 * 1024 ? true : null));
  t.ok(delivered() < 512 * 1024, `the window is respected: ${delivered()}`);
  const before = delivered();
  let consumed = 0;
  while (!it.told.some(({ type }) => type === 'ended')) {
    const now = delivered();
    it.processes.consumed(it.sessionId, now - consumed);
    consumed = now;
    await it.until((told) => (told.type === 'ended' || delivered() > now ? true : null));
  }
  t.ok(before < delivered());
  t.equal(delivered(), 8_000_006);
  t.equal(it.lines(run).at(-1), 'done');
  await it.close();
});

bothWays('a stop before the start of the process takes effect', {}, async (t, launcher) => {
  const it = new RecordedProcesses('early', { launcher });
  await it.open();
  const terminated = it.bash('sleep 600');
  it.processes.askToEnd(it.sessionId, terminated);
  t.same(await it.ended(terminated), { kind: 'signaled', signal: 'SIGTERM' });
  const killed = it.bash('sleep 600');
  it.processes.kill(it.sessionId, killed);
  t.same(await it.ended(killed), { kind: 'signaled', signal: 'SIGKILL' });
  await it.close();
});

const ALTERNATING = `
  const { writeSync } = require('node:fs');
  // A program that was loaded before may have made the pipes such that a write does not wait.
  const write = (stream, line) => {
    for (;;) {
      try {
        writeSync(stream, line);
        return;
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  };
  for (let n = 0; n < 40000; n++) {
    write(1, 'out ' + n + '\\n');
    write(2, 'err ' + n + '\\n');
    if (n % 100 === 0) write(2, 'openjd_redacted_env: S=' + n + '\\n');
  }
`;

bothWays('lines of both streams keep their order if redaction depends on it', {}, async (t, launcher) => {
  const it = new RecordedProcesses('order', { launcher });
  await it.open();
  t.same(await it.ended(it.start(process.execPath, ['--eval', ALTERNATING])), { kind: 'exited', code: 0 });
  const told = new Set<string>();
  const late: string[] = [];
  const hidden = new Set<string>();
  for (const each of it.told) {
    if (each.type !== 'output') continue;
    const { stream, lines, hiding = [] } = each.batch;
    for (const line of [...lines, ...hiding.map((other) => other.line)]) {
      if (line.startsWith('openjd_redacted_env')) hidden.add(line);
    }
    for (const line of lines) {
      const [, number = ''] = line.split(' ');
      if (stream === 'stdout') {
        const previous = Number(number) - 1;
        if (previous % 100 === 0 && !hidden.has(`openjd_redacted_env: S=${previous}`)) late.push(line);
      } else if (line.startsWith('err ') && !told.has(`out ${number}`)) late.push(line);
      told.add(line);
    }
  }
  t.same(late, []);
  t.equal(told.size, 80_400);
  await it.close();
});

test('a new contact time is sent to the guards immediately, not with the next heartbeat', async (t) => {
  const never = (): NodeJS.Timeout => setTimeout(() => undefined, 0);
  const interval = t.intercept(global, 'setInterval', { value: never });
  const it = new RecordedProcesses('contact');
  await it.open();
  interval.restore();
  const run = it.bash('sleep 600');
  it.processes.contactLasts(0);
  t.same(await it.ended(run), { kind: 'fenced' });
  await it.close();
});
