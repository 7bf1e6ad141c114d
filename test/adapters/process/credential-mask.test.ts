import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { maskArguments, type Mask } from '../../../src/adapters/process/mask.ts';
import { canMakeAccounts, idOf, makeAccount } from '../../kit/accounts.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(120_000);

const SECRET = 'SECRET-OF-THE-WORKER';
const real = { skip: canMakeAccounts ? false : 'only root can make accounts' };
const mountNamespace = spawnSync('unshare', ['--mount', 'true']).status === 0;
const userNamespace = spawnSync('unshare', ['--user', '--mount', 'true']).status === 0;

/** Attacks of a job on the file `$FILE`, the file `$OTHER` and the daemon `$DAEMON`: none prints the secret. */
const ATTACKS: Readonly<Record<string, string>> = {
  file: 'cat "$FILE"',
  'other file': 'cat "$OTHER"',
  'parent of the session': 'cat ../../bus-credentials.json',
  'root of the daemon': 'cat "/proc/$DAEMON/root$FILE"',
  'directory of the daemon': 'cat "/proc/$DAEMON/cwd/bus-credentials.json"',
  'descriptors of the daemon': 'cat /proc/$DAEMON/fd/*',
  'variables of the daemon': 'cat /proc/$DAEMON/environ',
  'memory of the daemon':
    'head -c 1 /proc/$DAEMON/mem || true; cat /proc/$DAEMON/maps | grep -q . && echo SECRET-OF-THE-WORKER',
  ptrace:
    'perl -e \'$n = `uname -m` =~ /x86_64/ ? 101 : 117; print "SECRET-OF-THE-WORKER" if syscall($n, 16, $ARGV[0] + 0, 0, 0) == 0\' "$DAEMON"',
  'namespace of the daemon': 'nsenter --target "$DAEMON" --mount cat "$FILE"',
  'user namespace of the daemon': 'nsenter --target "$DAEMON" --user --mount cat "$FILE"',
  umount: 'umount -l "$DIRECTORY"; cat "$FILE"',
  'umount of the other file': 'umount -l "$OTHER"; cat "$OTHER"',
  'umount in a new namespace':
    'unshare -Urm bash -c \'umount -l "$DIRECTORY"; umount -l "$OTHER"; cat "$FILE" "$OTHER"\'',
  'bind mount in a new namespace':
    'unshare -Urm bash -c \'mkdir mnt; mount --bind "$(dirname "$OTHER")" mnt && cat mnt/*; mount --rbind "$(dirname "$OTHER")" mnt && cat mnt/*\'',
  'hard link': 'ln "$FILE" link; ln "$OTHER" link2; cat link link2',
  'rename of the directory':
    'mv "$(dirname "$OTHER")" "$PWD/moved" && { cat moved/*; mv moved "$(dirname "$OTHER")"; }',
  'rename of the file': 'mv "$OTHER" moved; cat moved',
  'new device':
    'mknod disk b $(stat -c "%Hr %Lr" /dev/[sv]da 2>/dev/null || echo 8 0) && head -c 1 disk | grep -qz . && echo SECRET-OF-THE-WORKER',
  'disk itself':
    'for d in /dev/*; do [[ -b $d ]] && head -c 4096 "$d" | tr -d "\\0" | head -c 1 | grep -q . && echo SECRET-OF-THE-WORKER; done',
  'memory of the machine':
    'head -c 1 /proc/kcore | grep -q . && echo SECRET-OF-THE-WORKER; head -c 1 /dev/mem',
  'program of the kernel':
    'p=$(cat /proc/sys/kernel/core_pattern); echo "$p" >/proc/sys/kernel/core_pattern && echo SECRET-OF-THE-WORKER',
  'set-user-id program': 'cp /bin/cat cat; chmod u+s cat; ./cat "$FILE"; su -c "cat $FILE" </dev/null',
};

const script = Object.entries(ATTACKS)
  .map(([name, attack]) => `echo; echo '== ${name}'; (${attack}) 2>/dev/null`)
  .join('\n');

/** A directory with a file of its own outside of the worker's. */
function otherFile(t: Test): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-secret-')));
  chmodSync(directory, 0o755);
  t.teardown(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'password'), SECRET, { mode: 0o600 });
  return join(directory, 'password');
}

/** Names the attacks that have printed the secret, and checks that all were tried. */
function succeeded(t: Test, lines: readonly string[]): string[] {
  const names = new Set<string>();
  let tried = 0;
  let name = '';
  for (const line of lines) {
    if (line.startsWith('== ')) {
      name = line.slice(3);
      tried++;
    } else if (line.includes(SECRET)) names.add(name);
  }
  t.equal(tried, Object.keys(ATTACKS).length);
  return [...names];
}

for (const launcher of [false, true]) {
  const how = launcher ? 'by the launcher' : 'by the daemon';
  test(
    `a task of a worker of root, started ${how}, cannot get the credentials`,
    {
      skip: canMakeAccounts && mountNamespace ? false : 'needs root and mount namespaces',
    },
    async (t) => {
      const other = otherFile(t);
      const mask = (workerDirectory: string): Mask => ({ workerDirectory, files: [other], isRoot: true });
      const it = new RecordedProcesses(`masked-${launcher}`, { launcher, mask });
      const file = join(it.workerDirectory, 'bus-credentials.json');
      writeFileSync(file, SECRET, { mode: 0o600 });
      await it.open();
      t.teardown(() => it.close());
      const daemon = spawn('sleep', ['1000'], {
        cwd: it.workerDirectory,
        env: { PATH: process.env['PATH'], SECRET },
      });
      t.teardown(() => daemon.kill('SIGKILL'));
      const variables = {
        FILE: file,
        OTHER: other,
        DIRECTORY: it.workerDirectory,
        DAEMON: String(daemon.pid),
      };
      const run = it.bash(script, { variables });
      await it.ended(run);
      t.same(succeeded(t, it.lines(run)), []);
      const after = it.bash(
        'pwd; touch made; ls; grep NoNewPrivs /proc/self/status; nohup setsid sleep 1000 >/dev/null 2>&1 & exit 3',
      );
      t.same(await it.ended(after), { kind: 'exited', code: 3 });
      t.equal(it.lines(after)[0], it.directory);
      t.ok(it.lines(after).includes('NoNewPrivs:\t1'));
      t.equal(readFileSync(join(it.directory, 'made'), 'utf8'), '');
      t.equal(readFileSync(file, 'utf8'), SECRET);
    },
  );
}

test(
  'a task of an unprivileged worker cannot get the credentials',
  {
    skip: canMakeAccounts && userNamespace ? false : 'needs root and user namespaces',
  },
  async (t) => {
    const user = makeAccount(t);
    const [uid, gid] = [idOf('-u', user), idOf('-g', user)];
    const other = otherFile(t);
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-masked-')));
    t.teardown(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'bus-credentials.json');
    const session = join(directory, 'sessions', 'one');
    mkdirSync(session, { recursive: true });
    writeFileSync(file, SECRET, { mode: 0o600 });
    for (const path of [join(other, '..'), other, directory, file, join(directory, 'sessions'), session])
      chownSync(path, uid, gid);
    const daemon = spawn('sleep', ['1000'], {
      uid,
      gid,
      cwd: directory,
      env: { PATH: process.env['PATH'], SECRET },
    });
    t.teardown(() => daemon.kill('SIGKILL'));
    const variables = { FILE: file, OTHER: other, DIRECTORY: directory, DAEMON: String(daemon.pid) };
    const [command = '', ...args] = [
      ...maskArguments({ workerDirectory: directory, files: [other], isRoot: false }, session),
      'bash',
      '-c',
      script,
    ];
    const env = { PATH: process.env['PATH'], ...variables };
    const attack = (program: string, list: readonly string[]): string[] =>
      spawnSync(program, list, { uid, gid, cwd: session, env, encoding: 'utf8' }).stdout.split('\n');
    t.same(succeeded(t, attack(command, args)), []);
    // The attacks work on a worker without a mask.
    t.ok(succeeded(t, attack('bash', ['-c', script])).includes('variables of the daemon'));
  },
);

test('a task whose files cannot be hidden is not started', real, async (t) => {
  const mask = (workerDirectory: string): Mask => ({
    workerDirectory: join(workerDirectory, 'missing'),
    files: [],
    isRoot: true,
  });
  const it = new RecordedProcesses('unmasked', { mask });
  await it.open();
  t.teardown(() => it.close());
  const run = it.bash('touch made; echo ran');
  t.same(await it.ended(run), { kind: 'exited', code: 125 });
  t.notOk(it.lines(run).includes('ran'));
});

test('tasks of queues without an account run as the default account of the worker', real, async (t) => {
  const defaultUser = makeAccount(t);
  const it = new RecordedProcesses('default-user', { defaultUser });
  await it.open();
  t.teardown(() => it.close());
  const run = it.bash('id -un');
  await it.ended(run);
  t.same(it.lines(run), [defaultUser]);
});
