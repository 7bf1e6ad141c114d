import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'tap';
import { joinTokenText, parseJoinToken } from '../../src/adapters/identity/join-token-text.ts';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';
import { Daemon, freePort, startService, type RunningService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

/** Join tokens and credentials of workers with a real service, a real bus with TLS, and real workers. */

interface WorkerView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly credential: { readonly issued_at: string; readonly revoked: boolean } | null;
}

/** The credential is renewed after 19 s: the other cases run meanwhile. */
const LIFETIME = '30s';

/** Starts a worker. Its bus comes from the token or its credential. */
const worker = (service: RunningService, name: string, ...flags: string[]): Daemon =>
  new Daemon(
    [
      'worker',
      `--worker-name=${name}`,
      `--worker-dir=${join(service.folder, name)}`,
      '--worker-allow-root=true',
      '--worker-drain-timeout=1s',
      '--log-format=text',
      ...flags,
    ],
    join(service.folder, `${name}.log`),
  );

/** Listens as a NATS server and collects what a client sends. */
async function listener(greeting: string): Promise<{ server: Server; port: number; received: Buffer[] }> {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => received.push(chunk));
    socket.write(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0, received };
}

test('workers join with tokens, and keep, renew and lose their credentials', async (t) => {
  const folder = t.testdir();
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [
      '--bus-auth-enabled=true',
      `--bus-auth-credential-lifetime=${LIFETIME}`,
      '--scheduler-heartbeat-timeout=5s',
    ],
  });
  const { api } = service;
  const running = new Set<Daemon>();
  const start = (name: string, ...flags: string[]): Daemon => {
    const daemon = worker(service, name, ...flags);
    running.add(daemon);
    return daemon;
  };
  t.teardown(async () => {
    await Promise.all([...running].map((each) => each.kill()));
    await service.daemon.kill('SIGTERM');
  });
  const run = (...args: string[]): Promise<Ran> =>
    runCallsheet(args, { environment: { SVC_URL: `http://127.0.0.1:${service.httpPort}` } });
  const farm = await api.must<{ id: string }>('POST', '/api/v1/farms', { name: 'show' });
  const token = async (...args: string[]): Promise<string> => {
    const ran = await run('workers', 'token', 'create', ...args);
    if (ran.code !== 0) throw new Error(ran.err);
    return ran.out.trim();
  };
  const found = async (name: string): Promise<WorkerView | null> => {
    const { items } = await api.must<{ items: WorkerView[] }>('GET', '/api/v1/workers');
    return items.find((each) => each.name === name) ?? null;
  };
  const inStatus = (name: string, status: string): Promise<WorkerView> =>
    until(`${name} is ${status}`, async () => {
      const view = await found(name);
      return view?.status === status && view;
    });
  const ended = async (daemon: Daemon, code: number, log: RegExp, message: string): Promise<void> => {
    t.equal((await daemon.ended).code, code, message);
    t.match(daemon.log(), log);
  };

  const first = await token('--farm', 'show', '--tags', 'gpu=rtx', '--expires', '1h');
  const one = start('one', '--join', first, '--worker-tags=gpu=mine,own=1');

  await t.test('a token on the command line is used once, hidden, and forces its tags', async (t) => {
    const view = await inStatus('one', 'online');
    t.match(view, { farm_id: farm.id, tags: { gpu: 'rtx', own: '1' }, credential: { revoked: false } });
    const commandLine = readFileSync(`/proc/${one.pid}/cmdline`, 'latin1');
    t.match(commandLine, /--join/);
    t.notMatch(commandLine, /csj1_/, 'other accounts cannot read it');
    const file = join(folder, 'one/bus-credentials.json');
    t.equal(statSync(file).mode & 0o777, 0o600);
    const { seed, jwt } = JSON.parse(readFileSync(file, 'utf8')) as { seed: string; jwt: string };
    const parsed = parseJoinToken(first);
    const secret = parsed.ok ? parsed.value.s : '';
    for (const [log, text] of [
      ['worker', one.log()],
      ['service', service.daemon.log()],
    ])
      for (const hidden of [secret, seed, jwt, first])
        t.notOk((text ?? '').includes(hidden), `the log of the ${log ?? ''} shows no secret`);
    const list = await run('workers', 'token', 'list', '--json');
    t.match(JSON.parse(list.out), [{ uses_left: 0, status: 'used_up', farm_id: farm.id }]);
    t.notMatch(list.out, new RegExp(secret));
  });

  await t.test('a token that is used up, wrong or of another service is refused', async (t) => {
    await ended(start('two', '--join', first), 1, /has no uses left/, 'a second worker');
    const parsed = parseJoinToken(first);
    if (!parsed.ok) throw new Error(parsed.reason);
    const changed = (change: Partial<typeof parsed.value>): string =>
      joinTokenText({ ...parsed.value, ...change });
    const secret = 'A'.repeat(43);
    await ended(start('two', '--join', changed({ s: secret })), 1, /does not exist/, 'wrong secret');
    await ended(start('two', '--join', changed({ j: 'a.b.c' })), 1, /bus refuses the token/, 'wrong JWT');
    const [url = ''] = parsed.value.u;
    t.match(url, /^tls:/);
    await ended(start('two', '--join', 'csj1_x'), 1, /not a join token: it is incomplete/, 'damaged');
    const refused = start('two', '--join', 'secret');
    await ended(refused, 1, /not a join token/, 'no token');
    t.notMatch(refused.log(), /secret/);
  });

  await t.test('nothing is sent to a server without the certificate of the token', async (t) => {
    const parsed = parseJoinToken(first);
    if (!parsed.ok) throw new Error(parsed.reason);
    const other = joinTokenText({ ...parsed.value, c: 'B'.repeat(43) });
    await ended(start('two', '--join', other), 1, /does not have the certificate/, 'another authority');
    const plain = await listener('INFO {"server_id":"x","version":"2.9.0","max_payload":1048576}\r\n');
    t.teardown(() => plain.server.close());
    const toPlain = joinTokenText({ ...parsed.value, u: [`tls://127.0.0.1:${plain.port}`] });
    await ended(start('two', '--join', toPlain), 1, /has no TLS/, 'a server without TLS');
    t.strictSame(plain.received, []);
  });

  await t.test('a revoked token admits no worker', async () => {
    const text = await token('--uses', '5');
    const parsed = parseJoinToken(text);
    const id = parsed.ok ? parsed.value.i : '';
    t.match(await run('workers', 'token', 'revoke', id), { code: 0, out: `${id} revoked\n` });
    t.match(await run('workers', 'token', 'revoke', id), { code: 0 }, 'again');
    await ended(start('two', '--join', text), 1, /is revoked/, 'revoked');
    t.match(await run('workers', 'token', 'revoke', 'zzzz'), { code: 4 });
  });

  const many = join(folder, 'token');
  writeFileSync(many, `${await token('--uses', '9')}\n`, { mode: 0o600 });
  const joinMany = `--worker-join-file=${many}`;

  await t.test('a worker that has a credential ignores the token, and keeps its name and id', async (t) => {
    const before = await inStatus('one', 'online');
    await one.kill('SIGTERM');
    await inStatus('one', 'offline');
    const stranger = worker(service, 'stranger', joinMany, '--worker-name=one');
    running.add(stranger);
    await ended(stranger, 1, /has a credential; delete it/, 'the name of another worker');
    const again = start('one', '--join', first);
    t.equal((await inStatus('one', 'online')).id, before.id);
    t.match(again.log(), /the token is not used/);
  });

  await t.test('a credential file that others can read, or that is damaged, is not used', async () => {
    const two = start('two', joinMany);
    await inStatus('two', 'online');
    await two.kill('SIGTERM');
    const file = join(folder, 'two/bus-credentials.json');
    const content = readFileSync(file, 'utf8');
    chmodSync(file, 0o640);
    await ended(start('two'), 1, /may be read or written by others/, 'permissions');
    chmodSync(file, 0o600);
    for (const [broken, reason] of [
      ['{', /is not a credential/],
      ['{"v":1}', /is not a credential/],
      [content.replace(/"seed": "SU[A-Z2-7]{4}/, '"seed": "SUAAAA'), /the key in .* is damaged/],
      [content.replace(/"expires_at": "\d{4}/, '"expires_at": "2001'), /expired at 2001/],
    ] as const) {
      writeFileSync(file, broken);
      await ended(start('two'), 1, reason, String(reason));
    }
    writeFileSync(file, content);
    start('two');
    await inStatus('two', 'online');
  });

  await t.test('a revoked worker is disconnected, and joins again with its id', async (t) => {
    const before = await inStatus('two', 'online');
    const revoked = await run('workers', 'revoke', 'two', '--yes', '--json');
    t.match(JSON.parse(revoked.out), { revoked: true });
    const log = (): string => readFileSync(join(folder, 'two.log'), 'utf8');
    await until('two says so', () => /refuses the credential of this worker/.test(log()));
    t.match(log(), /workers token create/);
    t.match(await found('two'), { credential: { revoked: true } });
    for (const daemon of running) if (daemon.isRunning && daemon !== one) await daemon.kill('SIGKILL');
    // The service learns of its end by silence; a deletion frees the name before that.
    await inStatus('two', 'offline');
    start('two', joinMany);
    const after = await until('two is back', async () => {
      const view = await found('two');
      return view?.status === 'online' && view.credential?.revoked === false && view;
    });
    t.equal(after.id, before.id);
  });

  await t.test('a deleted worker cannot come back with its credential', async (t) => {
    const three = start('three', joinMany);
    await inStatus('three', 'online');
    await three.kill('SIGTERM');
    await inStatus('three', 'offline');
    t.equal((await run('workers', 'delete', 'three', '--yes')).code, 0);
    const again = start('three');
    await until('it is refused', () => /refuses the credential of this worker/.test(again.log()));
    t.equal(await found('three'), null);
    await again.kill();
    start('three', joinMany);
    await inStatus('three', 'online');
  });

  await t.test('simulated workers join, and keep their credentials', async (t) => {
    const simulated = ['--worker-cpus=1', '--simulate=2'];
    const few = start('sim', ...simulated, '--join', await token('--uses', '1', '--farm', 'show'));
    await ended(few, 1, /cannot join the service: .*the token has no uses left/, 'one use is too few');
    const again = start('sim', ...simulated, '--join', await token('--uses', '1', '--farm', 'show'));
    const views = await Promise.all(['sim-0001', 'sim-0002'].map((name) => inStatus(name, 'online')));
    t.match(views, [{ credential: { revoked: false } }, { credential: { revoked: false } }]);
    const directory = join(folder, 'sim/simulated');
    t.equal(statSync(directory).mode & 0o777, 0o700);
    t.equal(statSync(join(directory, 'sim-0001.json')).mode & 0o777, 0o600);
    await again.kill('SIGTERM');
  });

  await t.test('a credential is renewed, and the worker stays', async (t) => {
    const two = start('four', joinMany);
    const { credential } = await inStatus('four', 'online');
    const issued = credential?.issued_at ?? '';
    await until('it is renewed', async () => {
      const view = await found('four');
      return (view?.credential?.issued_at ?? '') > issued;
    });
    await until('it is connected again', () => (two.log().match(/bus: connected/g) ?? []).length === 2);
    t.match(two.log(), /renewed the credential of the bus/);
    t.notMatch(two.log(), /refuses the credential/);
    t.equal((await found('four'))?.status, 'online');
  });
});

test('a bus without authentication has no tokens', async (t) => {
  const folder = t.testdir();
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  const service = await startService({ folder, ...ports, isBusAuthenticated: false });
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const environment = { SVC_URL: `http://127.0.0.1:${service.httpPort}` };
  const ran = await runCallsheet(['workers', 'token', 'create'], { environment });
  t.match(ran, { code: 5, err: /set bus\.auth\.enabled/ });
});
