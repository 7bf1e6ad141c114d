import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { hiddenProcessesSupport, privateTmpSupport } from '../../../src/adapters/host/view-support.ts';
import { optInIsolation, requireOptIns } from '../../../daemons/worker/opt-in-isolation.ts';
import { canMakeAccounts, makeAccount } from '../../kit/accounts.ts';
import { isolationOff } from '../../kit/isolation-settings.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(120_000);

const parts = await optInIsolation({ isolation: { ...isolationOff, defaultUser: 'daemon' } });
const skipOf = (name: string): string | false => {
  const found = parts.find(({ part }) => part === name);
  return found?.isSupported === true ? false : (found?.detail ?? 'no such part');
};
const skip = skipOf('private tmp');
const accounts = skip === false && !canMakeAccounts ? 'only root can make accounts' : skip;
const hiding = accounts === false ? skipOf('hidden processes') : accounts;

for (const launcher of [false, true]) {
  const way = launcher ? 'by the launcher' : 'by the agent';

  test(`a session has its own /tmp and /var/tmp, which end with it, ${way}`, { skip }, async (t) => {
    const name = `callsheet-view-${process.pid}-${launcher}`;
    const it = new RecordedProcesses('view-tmp', { launcher, privateTmp: true });
    await it.open();
    const first = it.bash(`echo mine >/tmp/${name}; cat /var/tmp/${name}; stat -c %a /tmp; pwd`);
    t.same(await it.ended(first), { kind: 'exited', code: 0 });
    t.same(it.lines(first), ['mine', '1777', it.directory]);
    const second = it.bash(`cat /tmp/${name}; echo result >result`);
    t.same(await it.ended(second), { kind: 'exited', code: 0 });
    t.same(it.lines(second), ['mine'], 'the next task of the session sees it');
    t.notOk(existsSync(`/tmp/${name}`));
    t.notOk(existsSync(`/var/tmp/${name}`));
    t.equal(
      readFileSync(join(it.directory, 'result'), 'utf8'),
      'result\n',
      'the directory of the session is the real one',
    );
    await it.close();
    t.notOk(existsSync(it.directory));
  });
}

test('a task of an account has its own /tmp and cannot leave it', { skip: accounts }, async (t) => {
  const user = makeAccount(t);
  const it = new RecordedProcesses('view-account', { privateTmp: true });
  t.teardown(() => it.close());
  await it.open({ user, group: null });
  const run = it.bash(
    'id -un; stat -c "%U %a" /tmp; echo x >/tmp/file; umount /tmp 2>/dev/null && echo left; pwd; grep -c . /tmp/file; grep NoNewPrivs /proc/self/status',
  );
  await it.ended(run);
  t.same(it.lines(run), [user, `${user} 1777`, it.directory, '1', 'NoNewPrivs:\t1']);
});

test('links of a hostile task move no mount', { skip: accounts }, async (t) => {
  const user = makeAccount(t);
  const it = new RecordedProcesses('view-links', { privateTmp: true });
  t.teardown(() => it.close());
  await it.open({ user, group: null });
  await it.ended(it.bash('true'));
  // The account owns .tmp, where the directories above that of the session are made if it is below /tmp.
  const top = it.directory.split('/').slice(0, 3).join('/');
  for (const [trap, target] of [
    [`rm -rf .tmp && ln -s /etc .tmp`, '/etc'],
    [`rm -rf .tmp && mkdir .tmp && ln -s /etc .tmp/${top.split('/').at(-1)}`, '/etc'],
  ] as const) {
    // Without the view: the account itself can change its directory at any time.
    const attacker = new RecordedProcesses('view-attacker');
    await attacker.open({ user, group: null });
    const made = attacker.bash(`cd ${it.directory} && ${trap}; echo set`);
    await attacker.ended(made);
    t.same(attacker.lines(made), ['set']);
    await attacker.close();
    const run = it.bash(`cat /etc/hostname /etc/passwd | wc -l; ls -A /etc | wc -l`);
    const end = await it.ended(run);
    if (end.kind === 'exited' && end.code === 0)
      t.ok(Number(it.lines(run)[1]) > 10, `${target} is that of the machine`);
    else {
      t.same(end, { kind: 'exited', code: 125 });
      t.match(
        it.lines(run).at(-1),
        /^callsheet: the task was not started, because it could not get a directory/,
      );
    }
  }
  t.ok(existsSync('/etc/passwd'));
  t.notOk(existsSync(`/etc/${it.directory.split('/').slice(3, 4).join('/')}`), 'nothing was made in /etc');
});

test('a task sees only processes of its account', { skip: hiding }, async (t) => {
  const user = makeAccount(t);
  const it = new RecordedProcesses('view-processes', { hideProcesses: true });
  t.teardown(() => it.close());
  await it.open({ user, group: null });
  const run = it.bash(
    `[[ -e /proc/${process.pid} ]] && echo daemon; [[ -e /proc/1 ]] && echo init; stat -c %U /proc/[0-9]* | sort -u; umount /proc 2>/dev/null && echo uncovered; cat /proc/${process.pid}/cmdline 2>/dev/null; echo done`,
  );
  await it.ended(run);
  t.same(it.lines(run), [user, 'done']);
  t.ok(existsSync('/proc/1'));
  t.notMatch(readFileSync('/proc/mounts', 'utf8'), /hidepid/, 'the machine has its /proc');
});

test('a task in a view is ended and reports its exit as any other', { skip: accounts }, async (t) => {
  const user = makeAccount(t);
  const it = new RecordedProcesses('view-ends', { privateTmp: true, hideProcesses: hiding === false });
  t.teardown(() => it.close());
  await it.open({ user, group: null });
  t.same(await it.ended(it.bash('exit 7')), { kind: 'exited', code: 7 });
  t.same(await it.ended(it.bash('kill -9 $$')), { kind: 'signaled', signal: 'SIGKILL' });
  const graceful = it.bash('trap "echo ending; exit 3" TERM; echo ready; while :; do sleep 0.05; done');
  await it.line(graceful, 'ready');
  it.processes.askToEnd(it.sessionId, graceful);
  t.same(await it.ended(graceful), { kind: 'exited', code: 3 });
  t.ok(it.lines(graceful).includes('ending'));
});

test(
  'a task of the account of the worker can get no new privileges where that is set',
  { skip },
  async (t) => {
    for (const noNewPrivileges of [false, true]) {
      const it = new RecordedProcesses('view-privileges', { noNewPrivileges });
      await it.open();
      const run = it.bash('grep NoNewPrivs /proc/self/status');
      await it.ended(run);
      t.same(it.lines(run), [`NoNewPrivs:\t${noNewPrivileges ? 1 : 0}`]);
      await it.close();
    }
  },
);

test(
  'a file in place of the directory for temporary files fails the task with the reason',
  { skip },
  async (t) => {
    const it = new RecordedProcesses('view-file', { privateTmp: true });
    t.teardown(() => it.close());
    await it.open();
    writeFileSync(join(it.directory, '.tmp'), '');
    const run = it.bash('echo started');
    t.same(await it.ended(run), { kind: 'exited', code: 125 });
    t.same(it.lines(run), [
      'callsheet: the task was not started, because it could not get a directory of its own for temporary files',
    ]);
  },
);

test('a machine that cannot do it says why, and the worker refuses to start', async (t) => {
  const broken = { command: 'bash', args: ['--norc', '-c', 'echo unshare: not permitted >&2; exit 1'] };
  const works = { command: 'true', args: [] };
  const tmp = await privateTmpSupport(broken);
  t.match(tmp, {
    part: 'private tmp',
    isSupported: false,
    detail: 'unshare: not permitted',
    fix: /util-linux/,
  });
  t.match(await privateTmpSupport(works), { isSupported: true });
  t.match(await hiddenProcessesSupport(works, true, false, '6.1.0'), { isSupported: true });
  t.match(await hiddenProcessesSupport(works, true, false, '5.7.19'), { detail: /whole machine/ });
  t.match(await hiddenProcessesSupport(works, false, false, '6.1.0'), { detail: /only root/ });
  t.match(await hiddenProcessesSupport(works, true, true, '6.1.0'), { fix: /default_user/ });
  const hidden = await hiddenProcessesSupport(broken, true, false, '6.1.0');
  t.match(hidden, { isSupported: false, detail: 'unshare: not permitted' });
  requireOptIns({ isolation: isolationOff }, [tmp, hidden]);
  t.throws(() => requireOptIns({ isolation: { ...isolationOff, privateTmp: true } }, [tmp, hidden]), {
    message: /^isolation\.private_tmp: this machine does not support it: unshare: not permitted\. install/,
  });
  t.throws(() => requireOptIns({ isolation: { ...isolationOff, hideProcesses: true } }, [tmp, hidden]), {
    message: /^isolation\.hide_processes: /,
  });
});
