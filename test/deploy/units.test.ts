import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test, type Test } from 'tap';
import { readConfigFile } from '../../src/adapters/system/config-file.ts';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { readFlags } from '../../src/core/config/flags.ts';
import type { ConfigSources } from '../../src/core/config/resolve.ts';
import { resolveServer, resolveWorker } from '../../src/core/config/resolve.ts';

const DEPLOY = fileURLToPath(new URL('deploy', packageRoot));
const UNITS = ['callsheet-server.service', 'callsheet-worker.service'] as const;
const PROGRAM = '/usr/bin/node /opt/callsheet/bin/callsheet.js';
/** Time that a worker needs after its drain: daemons/worker/shutdown-signals.ts. */
const LEAVE_SECONDS = 30;

/** The settings of a unit; repeated ones have several values. */
function settingsOf(unit: string): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>();
  for (const line of readFileSync(join(DEPLOY, 'systemd', unit), 'utf8').split('\n')) {
    const match = /^([A-Za-z]+)=(.*)$/.exec(line);
    if (match === null) continue;
    const [, name = '', value = ''] = match;
    settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}

/** The file in deploy/etc that a daemon of the units reads. */
function configured(daemon: 'server' | 'worker', environment: Record<string, string> = {}): ConfigSources {
  const path = join(DEPLOY, 'etc', `${daemon}.yaml`);
  const file = readConfigFile(path);
  if (!file.ok) throw new Error(file.line);
  return { file: { path, document: file.document }, environment, flags: [] };
}

test('systemd accepts the units', (t) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    t.comment('systemd-analyze is not installed here');
    t.end();
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-units-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  cpSync(join(DEPLOY, 'systemd'), folder, { recursive: true });
  for (const unit of UNITS) {
    const path = join(folder, unit);
    writeFileSync(path, readFileSync(path, 'utf8').replace('/usr/bin/node', process.execPath));
    t.same(verified(path), { status: 0, said: '' }, unit);
  }
  const broken = join(folder, 'callsheet-broken.service');
  writeFileSync(broken, '[Service]\nExecStart=/bin/true\nKilMode=mixed\n');
  t.match(verified(broken).said, /KilMode/, 'systemd would detect an error');
  t.end();
});

function verified(path: string): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
    encoding: 'utf8',
  });
  const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('callsheet'));
  return { status, said: ours.join('\n') };
}

test('the units start the daemons with existing flags and files', (t) => {
  for (const [unit, daemon] of [
    ['callsheet-server.service', 'server'],
    ['callsheet-worker.service', 'worker'],
  ] as const) {
    const [start = ''] = settingsOf(unit).get('ExecStart') ?? [];
    const command = `${PROGRAM} ${daemon} `;
    t.ok(start.startsWith(command), start);
    const flags = readFlags(start.slice(command.length).split(' '));
    t.same(flags, { ok: true, configFile: `/etc/callsheet/${daemon}.yaml`, flags: [] });
    t.ok(readdirSync(join(DEPLOY, 'etc')).includes(`${daemon}.yaml`));
  }
  t.end();
});

/** Returns the lines with errors. */
const complaints = (
  resolved: { readonly ok: true } | { readonly ok: false; readonly lines: readonly string[] },
): readonly string[] => (resolved.ok ? [] : resolved.lines);

test('the configuration files have existing keys', (t) => {
  t.same(complaints(resolveServer(configured('server'))), []);
  t.same(complaints(resolveWorker(configured('worker'))), []);
  t.end();
});

test('the drop-in for isolation sets existing variables', (t) => {
  const [setting = ''] = settingsOf('callsheet-worker.service.d/isolation.conf').get('Environment') ?? [];
  const environment = Object.fromEntries(
    setting.split(' ').map((each) => each.split('=') as [string, string]),
  );
  const resolved = resolveWorker(configured('worker', environment));
  t.same(complaints(resolved), []);
  t.equal(resolved.ok && resolved.values['worker.allow_root'], true);
  t.end();
});

test('a daemon has enough time to stop', (t) => {
  const stop = (unit: string): number => Number(settingsOf(unit).get('TimeoutStopSec')?.[0]);
  const worker = resolveWorker(configured('worker'));
  const drain = worker.ok ? worker.values['worker.drain_timeout'] / 1000 : NaN;
  t.ok(stop('callsheet-worker.service') > drain + LEAVE_SECONDS);
  t.ok(stop('callsheet-server.service') > 30, 'its nats-server has 30 seconds');
  t.end();
});

test('directories in the configuration are created by the units', (t) => {
  const under = (t: Test, path: string | null, unit: string): void => {
    const [directory = ''] = settingsOf(unit).get('StateDirectory') ?? [];
    t.ok(`${path}/`.startsWith(`/var/lib/${directory}/`), `${path} under ${directory}`);
  };
  const server = resolveServer(configured('server'));
  const worker = resolveWorker(configured('worker'));
  under(t, server.ok ? server.values['data.dir'] : null, 'callsheet-server.service');
  under(t, worker.ok ? worker.values['worker.dir'] : null, 'callsheet-worker.service');
  t.end();
});
