import { mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { test, type Test } from 'tap';
import { accessOptions } from '../../src/adapters/nats/access.ts';
import { NatsServer } from '../kit/nats-server.ts';
import { runCallsheet } from './run-callsheet.ts';

const folderOf = (t: Test): string => join(t.testdir({}), 'keys');

interface Credential {
  readonly worker_id: string;
  readonly seed: string;
  readonly urls: readonly string[];
}

const credentialIn = (folder: string, name: string): Credential =>
  JSON.parse(readFileSync(join(folder, `worker-${name}.json`), 'utf8')) as Credential;

const dial = async (t: Test, port: number, seed: string): Promise<NatsConnection> => {
  const servers = {
    servers: [`127.0.0.1:${port}`],
    isTls: false,
    identity: { seed: seed.trim(), jwt: null },
  };
  const nc = await connect({ servers: [...servers.servers], reconnect: false, ...accessOptions(servers) });
  t.teardown(() => nc.close());
  return nc;
};

test('the printed configuration gives a real server the accounts and permissions', async (t) => {
  const folder = folderOf(t);
  const args = ['bus', 'permissions', '--out', folder, '--url', 'tls://bus.farm:4222'];
  const printed = await runCallsheet([...args, '--worker', 'ana', '--worker', 'eve']);
  t.equal(printed.code, 0, printed.err);
  t.match(printed.err, /bus\.streams\.nkey_file: .*service-streams\.nk/);
  for (const name of readdirSync(folder)) {
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    const seed = /SU[A-Z2-7]{56}/.exec(readFileSync(join(folder, name), 'utf8'))?.[0] ?? '?';
    t.notOk(printed.out.includes(seed) || printed.err.includes(seed), `no seed of ${name} is printed`);
  }
  const store = mkdtempSync(join(tmpdir(), 'callsheet-permissions-'));
  const server = await NatsServer.start([`jetstream { store_dir: "${store}" }`, printed.out]);
  t.teardown(() => server.stop());
  const [ana, eve] = [credentialIn(folder, 'ana'), credentialIn(folder, 'eve')];
  t.same(ana.urls, ['tls://bus.farm:4222']);
  const streams = await dial(t, server.port, readFileSync(join(folder, 'service-streams.nk'), 'utf8'));
  const manager = await jetstreamManager(streams);
  await manager.streams.add({ name: 'CALLSHEET_LOGS', subjects: ['task.logs.*.*'] });
  const nc = await dial(t, server.port, eve.seed);
  const answered = new Promise<string>((resolve) => {
    nc.subscribe(`_INBOX.${eve.worker_id}.r.1`, { callback: (_error, message) => resolve(message.string()) });
  });
  nc.publish(`task.logs.t.${eve.worker_id}`, 'line', { reply: `_INBOX.${eve.worker_id}.r.1` });
  t.match(JSON.parse(await answered), { stream: 'CALLSHEET_LOGS', seq: 1 });
  const refused = new Promise<string>((resolve) => {
    void (async () => {
      for await (const status of nc.status()) if (status.type === 'error') resolve(status.error.message);
    })();
  });
  nc.publish(`task.logs.t.${ana.worker_id}`, 'forged');
  t.match(await refused, /Permissions Violation/);
  await t.rejects(connect({ servers: `127.0.0.1:${server.port}`, reconnect: false }), /Authorization/);
});

test('keys are kept when the command is repeated with another worker', async (t) => {
  const folder = folderOf(t);
  const args = ['bus', 'permissions', '--out', folder, '--url', 'nats://bus:4222', '--worker', 'ana'];
  await runCallsheet(args);
  const before = credentialIn(folder, 'ana');
  const printed = await runCallsheet([...args, '--worker', 'new', '--url', 'nats://other:4222']);
  t.equal(printed.code, 0, printed.err);
  const after = credentialIn(folder, 'ana');
  t.equal(after.seed, before.seed);
  t.equal(after.worker_id, before.worker_id);
  t.same(after.urls, ['nats://bus:4222', 'nats://other:4222']);
});

test('bad input is named, and nothing is printed', async (t) => {
  const folder = folderOf(t);
  const bad = async (args: readonly string[], code: number, pattern: RegExp): Promise<void> => {
    const result = await runCallsheet(['bus', 'permissions', ...args]);
    t.equal(result.code, code, args.join(' '));
    t.match(result.err, pattern);
    t.equal(result.out, '');
  };
  await bad([], 2, /--out/);
  await bad(['--out', folder, '--worker', 'a/b'], 2, /letters, digits/);
  await bad(['--out', folder, '--worker', 'a'], 2, /--url/);
  await bad(['--out', folder, '--worker', 'a', '--url', 'http://x'], 2, /nats:\/\/HOST/);
  await bad(['--out', folder, '--worker', 'a', '--url', 'nats://x', '--ca', join(folder, 'none')], 1, /none/);
  await runCallsheet(['bus', 'permissions', '--out', folder]);
  writeFileSync(join(folder, 'worker-a.json'), '{}');
  await bad(['--out', folder, '--worker', 'a', '--url', 'nats://x'], 1, /worker-a\.json is not a credential/);
});
