import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { RunAs } from '../../../src/core/ports/task-processes.ts';
import { canMakeAccounts, groupIdOf, idOf, makeAccount, makeGroup } from '../../kit/accounts.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(120_000);

const real = { skip: canMakeAccounts ? false : 'only root can make accounts' };
const as = (user: string, group: string | null = null): RunAs => ({ user, group });
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

/** Opens a session of the account that is closed with the test. */
async function session(
  t: Test,
  runAs: RunAs,
  options: ConstructorParameters<typeof RecordedProcesses>[1] = {},
): Promise<RecordedProcesses> {
  const it = new RecordedProcesses(`isolated-${t.name.length}`, options);
  await it.open(runAs);
  t.teardown(() => it.close());
  return it;
}

/** Returns the output of a bash script of the session after its end. */
async function says(
  it: RecordedProcesses,
  script: string,
  variables: Record<string, string> = {},
): Promise<string[]> {
  const run = it.bash(script, { variables });
  await it.ended(run);
  return it.lines(run);
}

test(
  'a task runs with the IDs of the account and its groups except group 0, and cannot change back',
  real,
  async (t) => {
    const group = makeGroup(t);
    const user = makeAccount(t, ['-G', `${group},root`]);
    const it = await session(t, as(user));
    t.same(
      await says(
        it,
        'id -un; id -u; id -g; id -G; grep -E "^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)" /proc/self/status',
      ),
      [
        user,
        String(idOf('-u', user)),
        String(idOf('-g', user)),
        `${idOf('-g', user)} ${groupIdOf(group)}`,
        'CapInh:\t0000000000000000',
        'CapPrm:\t0000000000000000',
        'CapEff:\t0000000000000000',
        'CapBnd:\t0000000000000000',
        'CapAmb:\t0000000000000000',
        'NoNewPrivs:\t1',
      ],
    );
    t.same(
      await says(
        it,
        'su root -c id >/dev/null 2>&1 && echo root; kill -0 $PPID 2>/dev/null && echo kills; true',
      ),
      [],
    );
  },
);

test('the group of the queue replaces the primary group', real, async (t) => {
  const [own, other] = [makeGroup(t), makeGroup(t)];
  const user = makeAccount(t, ['-G', own]);
  const it = await session(t, as(user, other));
  t.same(await says(it, 'id -g; id -G; touch made; stat -c "%U %G" made'), [
    String(groupIdOf(other)),
    `${groupIdOf(other)} ${groupIdOf(own)}`,
    `${user} ${other}`,
  ]);
});

test('privileged accounts and groups are rejected before anything starts', real, async (t) => {
  const user = makeAccount(t);
  const alias = makeAccount(t, ['-o', '-u', '0']);
  const wheel = makeAccount(t, ['-g', '0']);
  const zero = makeGroup(t, ['-o', '-g', '0']);
  const refusal = async (runAs: RunAs): Promise<string | null> => {
    const it = new RecordedProcesses('refused');
    const failure = await it.tryOpen(runAs);
    t.equal(existsSync(it.directory), false);
    await it.close();
    return failure;
  };
  t.equal(await refusal(as('root')), 'the account "root" is privileged: no task runs with it');
  t.equal(await refusal(as(alias)), `the account "${alias}" has the user id 0`);
  t.equal(await refusal(as(wheel)), `the primary group of the account "${wheel}" has the id 0`);
  t.equal(await refusal(as(user, 'docker')), 'the group "docker" is privileged: no task runs with it');
  t.equal(await refusal(as(user, zero)), `the group "${zero}" has the id 0`);
  t.equal(await refusal(as('no-such-account')), 'this machine has no account "no-such-account"');
  t.equal(await refusal(as(user, 'no-such-group')), 'this machine has no group "no-such-group"');
  t.equal(await refusal(as(String(idOf('-u', user)))), `"${idOf('-u', user)}" is not a valid account name`);
  t.equal(await refusal(as(`${user} `)), `"${user} " is not a valid account name`);
});

test('without root no task runs under another account', { skip: canMakeAccounts }, async (t) => {
  const it = new RecordedProcesses('no-root');
  t.match(
    await it.tryOpen(as(`${userInfo().username}x`)),
    /and this worker does not run as root, so it cannot$/,
  );
  await it.close();
});

test(
  'the environment consists of the minimal one, the passed variables and those of the job',
  real,
  async (t) => {
    const user = makeAccount(t);
    const ownEnvironment = {
      PATH: '/opt/worker',
      HOME: '/root',
      PASSED_ON: 'yes',
      SECRET: 'no',
      SVC_BUS_URL: 'no',
      LD_AUDIT: 'no',
    };
    const it = await session(t, as(user), {
      ownEnvironment,
      environmentPassthrough: ['PASSED_*', 'SVC_*', 'LD_*'],
    });
    const variables = { TWO: 'one\nand $HOME `id` \\ " \'', EMPTY: '', UID: 'set', HOME: '/elsewhere' };
    const run = it.start('env', ['-0'], { variables });
    await it.ended(run);
    t.same(
      it
        .lines(run)
        .join('\n')
        .split('\0')
        .filter((entry) => entry !== '')
        .sort(),
      [
        `CALLSHEET_ACTION=${it.sessionId}.1`,
        `CALLSHEET_SESSION=${it.sessionId}`,
        `CALLSHEET_WORKER_DIR=${it.workerDirectory}`,
        'EMPTY=',
        'HOME=/elsewhere',
        'LANG=C.UTF-8',
        `LOGNAME=${user}`,
        'PASSED_ON=yes',
        'PATH=/usr/local/bin:/usr/bin:/bin',
        'SHELL=/bin/bash',
        'TWO=one\nand $HOME `id` \\ " \'',
        'UID=set',
        `USER=${user}`,
      ],
    );
  },
);

test('loader variables of a job affect only processes of its account', real, async (t) => {
  const user = makeAccount(t);
  const it = await session(t, as(user));
  // With this variable, the loader writes a file for each process that it loads, named after the PID.
  const traces = join(it.directory, 'loaded');
  const variables = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: traces, LD_PRELOAD: '/no/such/library.so' };
  const run = it.start('true', [], { variables });
  t.same(await it.ended(run), { kind: 'exited', code: 0 });
  const owners = (await says(it, 'stat -c %U loaded*')).sort();
  t.same(owners, [user], 'only one program, the command itself, was loaded with it');
});

test(
  'the session directory is private to the account, which cannot access the directory of the worker',
  real,
  async (t) => {
    const [user, other] = [makeAccount(t), makeAccount(t)];
    const it = await session(t, as(user));
    writeFileSync(join(it.workerDirectory, 'journal.jsonl'), 'x', { mode: 0o600 });
    t.equal(modeOf(it.directory), '700');
    t.equal(modeOf(join(it.workerDirectory, 'sessions')), '711');
    t.equal(modeOf(it.workerDirectory), '711');
    t.equal(modeOf(join(it.workerDirectory, 'pipes')), '700');
    t.same(await says(it, 'stat -c "%U %a" .; touch mine && echo written'), [`${user} 700`, 'written']);
    const closed = ['', 'sessions', 'pipes', 'journal.jsonl'].map((name) => join(it.workerDirectory, name));
    t.same(
      await says(
        it,
        closed.map((path) => `ls ${path}/ 2>/dev/null || cat ${path} 2>/dev/null || echo closed`).join('\n'),
      ),
      closed.map(() => 'closed'),
    );
    const stranger = new RecordedProcesses('stranger');
    await stranger.open(as(other));
    t.same(
      await says(
        stranger,
        `ls ${it.directory} 2>/dev/null || cat ${it.directory}/mine 2>/dev/null || echo closed`,
      ),
      ['closed'],
    );
    await stranger.close();
  },
);

test('the process inherits no files, no terminal and no core dumps from the worker', real, async (t) => {
  const user = makeAccount(t);
  const it = await session(t, as(user));
  t.same(
    await says(
      it,
      'ls /proc/$$/fd; ulimit -Hc; (exec 3</dev/tty) 2>/dev/null && echo terminal; cut -d" " -f7 /proc/self/stat',
    ),
    ['0', '1', '2', '0', '0'],
  );
  t.same(
    await says(
      it,
      'cat /proc/$PPID/environ 2>/dev/null | tr "\\0" "\\n" | head -1; ls /proc/$PPID/fd 2>/dev/null',
    ),
    [],
  );
  t.same(
    await says(it, 'echo out >/dev/stdout; echo err >/dev/stderr'),
    ['out', 'err'],
    'the process has its own pipes',
  );
});

test('files are written as the account, without following links that it has created', real, async (t) => {
  const user = makeAccount(t);
  const victims = mkdtempSync(join(tmpdir(), 'callsheet-victims-'));
  t.teardown(() => {
    rmSync(victims, { recursive: true, force: true });
  });
  const victim = join(victims, 'victim');
  writeFileSync(victim, 'untouched', { mode: 0o644 });
  const it = await session(t, as(user));
  const path = join(it.directory, 'files', 'deep', 'script.sh');
  const file = { path, data: '#!/bin/bash\necho "$0"; stat -c "%U %a" "$0"', runnable: true };
  const first = it.start(path, [], { files: [file] });
  await it.ended(first);
  t.same(it.lines(first), [path, `${user} 700`]);

  const again = async (prepare: string): Promise<unknown> => {
    await says(it, prepare);
    return it.ended(it.start(path, [], { files: [file] }));
  };
  t.same(
    await again(`ln -sf ${victim} files/deep/script.sh`),
    { kind: 'exited', code: 0 },
    'a link is replaced',
  );
  rmSync(path);
  linkSync(victim, path);
  t.same(await again('true'), { kind: 'exited', code: 0 }, 'a hard link to a foreign file is replaced');
  t.same(
    await again('rm files/deep/script.sh; mkfifo files/deep/script.sh'),
    { kind: 'exited', code: 0 },
    'a pipe is replaced too',
  );
  t.match(await again(`rm -r files; ln -s ${victims} files`), {
    kind: 'not-started',
    reason: /^an embedded file could not be written: /,
  });
  t.match(await again(`rm files; mkdir files; ln -s ${victims} files/deep`), { kind: 'not-started' });
  t.same(readFileSync(victim, 'utf8'), 'untouched');
  t.equal(modeOf(victim), '644');
  t.same([existsSync(join(victims, 'deep')), existsSync(join(victims, 'script.sh'))], [false, false]);
  t.same(statSync(victim).uid, 0);
});

test('a notice is written as the account, without following its link', real, async (t) => {
  const user = makeAccount(t);
  const it = await session(t, as(user));
  const run = it.bash(
    'ln -s /etc/callsheet-no-such cancel_info.json; trap "stat -c %U cancel_info.json; exit 0" TERM; echo ready; sleep 600 & wait',
  );
  await it.line(run, 'ready');
  it.processes.notify(it.sessionId, run, Date.UTC(2026, 10, 20, 12, 30, 15));
  await it.ended(run);
  t.same(it.lines(run), ['ready', user]);
  t.equal(existsSync('/etc/callsheet-no-such'), false);
});

test(
  'a directory that the account has filled with links is removed, without following them',
  real,
  async (t) => {
    const user = makeAccount(t);
    const victims = mkdtempSync(join(tmpdir(), 'callsheet-victims-'));
    t.teardown(() => {
      rmSync(victims, { recursive: true, force: true });
    });
    chmodSync(victims, 0o777);
    writeFileSync(join(victims, 'kept'), 'x');
    const it = new RecordedProcesses('links');
    await it.open(as(user));
    await says(it, `ln -s ${victims} link; mkdir -p a/b; ln -s ${victims} a/b/link; chmod 500 a/b a`);
    await it.close();
    t.equal(existsSync(it.directory), false);
    t.equal(existsSync(join(victims, 'kept')), true);
    t.same(it.warnings, []);
  },
);

test('a missing or inaccessible command is reported', real, async (t) => {
  const user = makeAccount(t);
  const it = await session(t, as(user));
  t.same(await it.ended(it.start('no-such-command-here')), {
    kind: 'not-started',
    reason: 'command not found: no-such-command-here',
  });
  const secret = join(it.workerDirectory, 'tool');
  writeFileSync(secret, '#!/bin/sh\n', { mode: 0o700 });
  const run = it.start(secret);
  t.same(await it.ended(run), { kind: 'exited', code: 126 });
  t.same(it.lines(run), [`env: '${secret}': Permission denied`]);
  const odd = it.start('bash', [
    '-c',
    'printf "%s|" "$@"',
    'x',
    '-i',
    'A=b',
    '',
    '--',
    '${CALLSHEET_VALUE_0}',
  ]);
  await it.ended(odd);
  t.same(it.lines(odd), ['-i|A=b||--|${CALLSHEET_VALUE_0}|'], 'arguments are passed unchanged');
});

test('an inaccessible session directory is reported before a process starts', real, async (t) => {
  const user = makeAccount(t);
  const closed = mkdtempSync(join(tmpdir(), 'callsheet-closed-'));
  t.teardown(() => {
    rmSync(closed, { recursive: true, force: true });
  });
  const sessions = join(closed, 'inner', 'sessions');
  mkdirSync(sessions, { recursive: true });
  chmodSync(closed, 0o700);
  const it = new RecordedProcesses('closed', { sessionsDirectory: sessions });
  t.equal(
    await it.tryOpen(as(user)),
    `the session's directory could not be made: the account cannot get to ${it.directory}: a directory above it is closed to others`,
  );
  await it.close();
});
