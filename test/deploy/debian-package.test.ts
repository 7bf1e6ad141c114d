import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import tap, { test, type Test } from 'tap';
import { ApiClient } from '../kit/api-client.ts';
import { freePort } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { ROOT } from '../tidy/project-files.ts';

/** Building the package and a root of Debian takes minutes. It needs root, the package registries and debootstrap. */
tap.setTimeout(1_200_000);

/** The oldest Debian with a Node.js that Callsheet supports. */
const SUITE = 'trixie';
const run = (program: string, args: readonly string[]): Promise<{ readonly stdout: string }> =>
  promisify(execFile)(program, args, { maxBuffer: 64 * 2 ** 20 });

/** A root of Debian in a folder. Mounts are in a namespace of each command, so that none remains. */
class DebianRoot {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  path(path: string): string {
    return join(this.folder, path);
  }

  /** Returns the program and arguments that run a command in the root, as root or as an account. */
  command(words: readonly string[], account = 'root'): readonly [program: string, args: readonly string[]] {
    const { folder } = this;
    const script = `mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" && root=$1 account=$2 && shift 2 && exec chroot --userspec="$account:$account" "$root" "$@"`;
    return ['unshare', ['--mount', 'sh', '-ec', script, 'sh', folder, account, ...words]];
  }

  async run(...words: readonly string[]): Promise<string> {
    const [program, args] = this.command(['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', ...words]);
    return (await run(program, args)).stdout;
  }
}

/** Returns the programs that a unit starts: `systemctl reload` fails where one is missing. */
const programsOf = async (root: DebianRoot, name: string): Promise<readonly string[]> => {
  const unit = await readFile(root.path(`usr/lib/systemd/system/${name}.service`), 'utf8');
  return [...unit.matchAll(/^Exec\w+=[-@:+!]*(\S+)/gm)].map(([, program = '']) => program);
};

const ofUnit = async (root: DebianRoot, name: string): Promise<readonly string[]> => {
  const unit = await readFile(root.path(`usr/lib/systemd/system/${name}.service`), 'utf8');
  return (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').split(' ');
};

/** Starts the command of a unit as the account of the daemons. */
async function startUnit(
  t: Test,
  root: DebianRoot,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const environment = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
  const [program, args] = root.command(['env', ...environment, ...(await ofUnit(root, name))], 'callsheet');
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    if (!t.passing()) t.comment(`${name}: ${log.slice(-3_000)}`);
  });
  return child;
}

test('the Debian package installs in a clean root, runs a farm, and is removed', async (t) => {
  if (process.getuid?.() !== 0) {
    t.comment('only root can build a root of Debian');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-deb-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await run(process.execPath, [join(ROOT, 'scripts/build-deb.js'), '--output', folder]);
  const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.deb'));
  const deb = join(folder, name);

  const field = async (key: string): Promise<string> =>
    (await run('dpkg-deb', ['--field', deb, key])).stdout.trim();
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  t.equal(await field('Version'), `${version}-1`);
  t.match(await field('Depends'), /nodejs \(>= 20\.19\)/);
  t.notMatch((await run('dpkg-deb', ['--contents', deb])).stdout, /opt\/callsheet\/dist\/test\//);

  const root = new DebianRoot(join(folder, 'root'));
  await run('debootstrap', ['--variant=minbase', SUITE, root.folder]);
  // No package starts its daemon in the root.
  await writeFile(root.path('usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  await copyFile(deb, root.path(`tmp/${basename(deb)}`));
  await root.run('apt-get', 'update');
  await root.run('apt-get', 'install', '-y', `/tmp/${basename(deb)}`);

  t.match(await root.run('callsheet', '--version'), new RegExp(version.replaceAll('.', '\\.')));
  t.match(
    await root.run('getent', 'passwd', 'callsheet'),
    /^callsheet:x:\d+:\d+::\/var\/lib\/callsheet:\/usr\/sbin\/nologin/,
  );
  const places = await root.run(
    'stat',
    '-c',
    '%n %U:%G %a',
    '/var/lib/callsheet',
    '/var/lib/callsheet-worker',
    '/var/log/callsheet',
    '/etc/callsheet/server.yaml',
    '/etc/callsheet/worker.yaml',
    '/opt/callsheet/bin/callsheet.js',
  );
  t.strictSame(places.trim().split('\n'), [
    '/var/lib/callsheet callsheet:callsheet 750',
    '/var/lib/callsheet-worker callsheet:callsheet 755',
    '/var/log/callsheet callsheet:callsheet 750',
    '/etc/callsheet/server.yaml root:callsheet 640',
    '/etc/callsheet/worker.yaml root:callsheet 640',
    '/opt/callsheet/bin/callsheet.js root:root 755',
  ]);
  t.equal((await root.run('dpkg', '--verify', 'callsheet')).trim(), '', 'the files are those of the package');
  for (const unit of ['callsheet-server', 'callsheet-worker']) {
    const programs = await programsOf(root, unit);
    t.ok(programs.length >= 2, `${unit} starts and reloads`);
    for (const program of programs) await t.resolves(root.run('test', '-x', program), `${unit}: ${program}`);
  }
  t.ok(existsSync(root.path('usr/bin/nats-server')) || existsSync(root.path('usr/sbin/nats-server')));

  const [port, bus] = [await freePort(), await freePort()];
  const server = await startUnit(t, root, 'callsheet-server', {
    SVC_HTTP_ADDR: `127.0.0.1:${port}`,
    SVC_BUS_ADDR: `127.0.0.1:${bus}`,
    SVC_BUS_STOP_WITH_SERVICE: 'true',
    SVC_HTTP_ACCESS_LOG: '/var/log/callsheet/access.log',
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
  });
  if (server.stdout === null) throw new Error('the output of the service is not piped');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  t.match(line, /http:\/\//);
  const api = new ApiClient(`http://127.0.0.1:${port}`);
  const farm = await api.makeFarm('packed');
  const worker = await startUnit(t, root, 'callsheet-worker', {
    SVC_BUS_URL: `nats://127.0.0.1:${bus}`,
    SVC_WORKER_NAME: 'one',
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
  });
  const { body } = await farm.submit(
    'specificationVersion: jobtemplate-2023-09\nname: one\nsteps: [{ name: S, script: { actions: { onRun: { command: id, args: ["-un"] } } } }]\n',
  );
  await until('the job has completed', async () => (await api.job(body.id)).status === 'completed');
  const printed = await root.run('callsheet', '--url', `http://127.0.0.1:${port}`, 'logs', body.id);
  t.match(printed, /\bcallsheet\b/, 'tasks run as the account of the worker');
  t.match(await readFile(root.path('var/log/callsheet/access.log'), 'utf8'), /"path":"\/api\/v1\/farms"/);
  for (const daemon of [worker, server]) {
    daemon.kill('SIGTERM');
    const [code] = (await once(daemon, 'exit')) as [number | null];
    t.equal(code, 0);
  }
  t.ok(existsSync(root.path('var/lib/callsheet/data/state')));

  await writeFile(root.path('etc/callsheet/worker.yaml'), 'worker:\n  tags: [kept]\n');
  await root.run('apt-get', 'remove', '-y', 'callsheet');
  t.notOk(existsSync(root.path('opt/callsheet')), 'the program is removed');
  t.match(
    await readFile(root.path('etc/callsheet/worker.yaml'), 'utf8'),
    /kept/,
    'the configuration is kept',
  );
  await root.run('apt-get', 'purge', '-y', 'callsheet');
  t.notOk(existsSync(root.path('etc/callsheet/worker.yaml')));
  t.notOk(existsSync(root.path('var/log/callsheet')));
  t.ok(existsSync(root.path('var/lib/callsheet/data/state')), 'the farm is kept');
});
