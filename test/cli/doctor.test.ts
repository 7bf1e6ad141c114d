import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { test } from 'tap';
import { findingsText } from '../../cli/doctor/doctor-command.ts';
import { runChecks } from '../../cli/doctor/run-checks.ts';
import type { CheckedHost } from '../../cli/doctor/host-check.ts';
import { failure, ok, skipped, warning, type Finding } from '../../src/core/host-check/finding.ts';
import { freePort, NatsServer } from '../kit/nats-server.ts';
import { answeringService, type Answer } from './answering-service.ts';
import { runCallsheet } from './run-callsheet.ts';

const FARM = { id: '11111111-1111-7111-8111-111111111111', name: 'north', description: '' };
const WORKER = '01890a5d-ac96-774b-bcce-b302099a8057';
const HOUR_MS = 3_600_000;
const READY = {
  'GET /healthz': [{ body: { status: 'ok' } }],
  'GET /readyz': [{ body: { status: 'ok', checks: { store: 'ok', bus: 'ok' } } }],
  'GET /api/v1/farms': [{ body: [FARM] }],
  'GET /api/v1/queues': [{ body: { items: [{ id: 'q', name: 'render', farm_id: FARM.id }], total: 1 } }],
  'GET /api/v1/storage-locations': [{ body: [] }],
};

interface Report {
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

/** Runs `callsheet doctor` at a service with these answers, and returns its findings by name. */
async function examined(
  answers: Readonly<Record<string, readonly Answer[]>>,
  flags: readonly string[],
): Promise<{
  readonly code: number | null;
  readonly isFit: boolean;
  readonly by: (name: string) => Finding | undefined;
}> {
  const service = await answeringService(answers);
  try {
    const ran = await runCallsheet([
      'doctor',
      '--url',
      service.url,
      '--json',
      '--worker-allow-root=true',
      ...flags,
    ]);
    const report = JSON.parse(ran.out) as Report;
    const by = (name: string): Finding | undefined => report.checks.find((each) => each.name === name);
    return { code: ran.code, isFit: report.ok, by };
  } finally {
    await service.close();
  }
}

test('findings are printed with their remedies and a verdict', (t) => {
  const findings = [
    ok('service', 'ready'),
    warning('clock', '6 s behind', 'synchronize it'),
    skipped('TLS', 'the bus cannot be used'),
  ];
  t.equal(
    findingsText(findings, false),
    [
      'ok       service  ready',
      'warning  clock    6 s behind',
      '                  fix: synchronize it',
      'skipped  TLS      the bus cannot be used',
      'The host can go into service: 1 ok, 1 warnings, 0 failures, 1 skipped.',
      '',
    ].join('\n'),
  );
  const text = findingsText([failure('storage \u001b[2Ja\nb', 'x', 'y')], false);
  t.notMatch(text, /\u001b/, 'names of the server cannot control the terminal');
  t.match(text, /not ready for service: 0 ok, 0 warnings, 1 failures, 0 skipped/);
  t.end();
});

test('a check that hangs or breaks becomes a failure of its name', async (t) => {
  const host = {} as unknown as CheckedHost;
  const findings = await runChecks(
    [
      { name: 'hangs', deadlineMs: 1, run: () => new Promise(() => undefined) },
      { name: 'breaks', deadlineMs: 60_000, run: () => Promise.reject(new Error('a bug')) },
      { name: 'works', deadlineMs: 60_000, run: () => Promise.resolve([ok('works', '')]) },
    ],
    host,
  );
  t.match(findings, [
    { name: 'hangs', status: 'failure', found: 'no result within 0.001 s' },
    { name: 'breaks', status: 'failure', found: 'a bug' },
    { name: 'works', status: 'ok' },
  ]);
});

test('a host without a server and a bus is not ready', async (t) => {
  const port = await freePort();
  const ran = await runCallsheet([
    'doctor',
    ...['--url', `http://127.0.0.1:${port}`, '--worker-allow-root=true'],
    ...['--worker-dir', join(t.testdir(), 'worker'), '--bus-url', `nats://127.0.0.1:${port}`],
  ]);
  t.match(ran, { code: 1, err: '' });
  t.match(ran.out, /^failure +service +http:\/\/127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED/);
  t.match(ran.out, /failure +bus +127\.0\.0\.1:\d+: connection refused\n +fix: check bus\.url/);
  t.match(ran.out, /skipped +farm +the server at/);
  t.match(ran.out, /The host is not ready for service: /);
});

test('wrong flags of the worker are refused', async (t) => {
  t.match(await runCallsheet(['doctor', '--worker-cpu=1']), { code: 2, err: /worker.cpu/ });
  t.match(await runCallsheet(['doctor', '--url', 'ftp://x']), { code: 2, err: /--url/ });
});

test('facts of a service and a real bus are judged', async (t) => {
  const server = await NatsServer.start([]);
  t.teardown(() => server.stop());
  const folder = t.testdir({ storage: {}, file: 'not a directory' });
  const bus = `--bus-url=nats://127.0.0.1:${server.port}`;
  const dir = `--worker-dir=${join(folder, 'worker')}`;

  await t.test('a good host', async (t) => {
    const { code, isFit, by } = await examined(READY, [bus, dir]);
    t.match(by('service'), { status: 'ok' });
    t.match(by('clock'), { status: 'ok' });
    t.match(by('bus'), { status: 'ok', found: /nats-server 2\./ });
    t.match(by('permissions'), { status: 'warning', found: /can subscribe to >, _INBOX\.>/ });
    t.match(by('worker.dir'), { status: 'ok', found: /can be created/ });
    t.match(by('farm'), { status: 'ok', found: 'north' });
    t.match([code, isFit], [0, true]);
  });

  await t.test('clocks that differ', async (t) => {
    const late = { body: {}, headers: { date: new Date(Date.now() - HOUR_MS).toUTCString() } };
    const { by, code } = await examined({ ...READY, 'GET /healthz': [late] }, [bus, dir]);
    t.match(by('clock'), { status: 'warning', found: /s ahead of the clock/ });
    t.equal(code, 0);
  });

  await t.test('a server that is not ready, and one that refuses the key', async (t) => {
    const degraded = {
      status: 503,
      body: { status: 'degraded', checks: { store: 'ok', bus: 'not connected' } },
    };
    const denied = { status: 401, body: { title: 'Unauthorized', detail: 'no key' } };
    const answers = { ...READY, 'GET /readyz': [degraded], 'GET /api/v1/farms': [denied] };
    const { by, code } = await examined(answers, [bus, dir]);
    t.match(by('service'), { status: 'failure', found: /bus: not connected/ });
    t.match(by('farm'), { status: 'skipped', fix: /--api-key/ });
    t.equal(code, 1);
  });

  await t.test('farms, queues and accounts that are missing', async (t) => {
    t.match((await examined(READY, [bus, dir, '--worker-farm=south'])).by('farm'), {
      status: 'failure',
      found: 'the server has no farm south',
    });
    t.match((await examined(READY, [bus, dir, '--worker-queues=comp'])).by('farm'), {
      found: /no queue comp/,
    });
    const queue = {
      id: 'q',
      name: 'render',
      farm_id: FARM.id,
      run_as_user: 'root',
      isolation_warning: 'open',
    };
    const { by, code } = await examined(
      { ...READY, 'GET /api/v1/queues': [{ body: { items: [queue], total: 1 } }] },
      [bus, dir],
    );
    t.match(by('account root'), { status: 'failure', fix: /worker\.queues/ });
    t.match(by('isolated queues'), { status: 'warning', found: /: render$/ });
    t.equal(code, 1);
  });

  await t.test('roots of storage locations', async (t) => {
    const root = (name: string, path: string) => ({ id: name, name, roots: { here: path } });
    const locations = [
      root('good', join(folder, 'storage')),
      root('file', join(folder, 'file')),
      root('missing', join(folder, 'nowhere')),
      root('bucket', 's3://bucket'),
    ];
    const { by, code } = await examined(
      { ...READY, 'GET /api/v1/storage-locations': [{ body: locations }] },
      [...[bus, dir, '--worker-compute-location=here']],
    );
    t.match(by('storage good'), { status: 'ok' });
    t.match(by('storage file'), { status: 'failure', found: /ENOTDIR/ });
    t.match(by('storage missing'), { status: 'failure', found: /ENOENT/, fix: /mount it/ });
    t.match(by('storage bucket'), { status: 'skipped' });
    t.equal(code, 1);
  });

  await t.test('a directory that the worker cannot use', async (t) => {
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const { by } = await examined(READY, [bus, `--worker-dir=${open}`]);
    t.match(by('worker.dir'), { status: 'failure', found: /may be written to by others/ });
    const { by: other } = await examined(READY, [bus, `--worker-dir=${join(folder, 'file')}`]);
    t.match(other('worker.dir'), { status: 'failure', found: /not a directory|cannot be made/ });
  });

  await t.test('files with credentials', async (t) => {
    const password = join(folder, 'password');
    writeFileSync(password, 'secret\n', { mode: 0o644 });
    const flags = [bus, dir, '--bus-user=worker', `--bus-password-file=${password}`];
    t.match((await examined(READY, flags)).by('file bus.password_file'), {
      status: 'failure',
      fix: /chmod 600/,
    });
    const missing = [bus, dir, `--bus-credentials-file=${join(folder, 'none')}`];
    t.match((await examined(READY, missing)).by('file bus.credentials_file'), { found: /ENOENT/ });
  });
});

test('the credential of a worker is judged', async (t) => {
  const user = nkeys.createUser();
  const server = await NatsServer.start([
    `authorization { users: [ { nkey: ${user.getPublicKey()}, permissions: { subscribe: ["_INBOX.w.>"] } } ] }`,
  ]);
  t.teardown(() => server.stop());
  const folder = t.testdir();
  const url = `nats://127.0.0.1:${server.port}`;
  const file = join(folder, 'bus-credentials.json');
  const seedOf = (pair: typeof user): string => new TextDecoder().decode(pair.getSeed());
  const written = async (parts: object, mode = 0o600) => {
    const credential = { v: 1, worker_id: WORKER, farm_id: null, urls: [url], seed: seedOf(user) };
    writeFileSync(file, JSON.stringify({ ...credential, jwt: null, ca: null, expires_at: null, ...parts }));
    chmodSync(file, mode);
    return examined(READY, [`--worker-dir=${folder}`]);
  };

  const good = await written({});
  t.match(good.by('credential'), { status: 'ok', found: `of worker ${WORKER}` });
  t.match(good.by('bus'), { found: /nats-server/ });
  t.match(good.by('permissions'), { status: 'ok', found: /refused, as they should be/ });
  t.equal(good.code, 0);

  const expired = await written({ expires_at: '2026-01-01T00:00:00Z' });
  t.match(expired.by('credential expiry'), { status: 'failure', found: /has expired/, fix: /new token/ });
  t.equal(expired.code, 1);

  t.match((await written({}, 0o640)).by('file worker.credentials_file'), {
    status: 'failure',
    fix: /chmod 600/,
  });
  t.match((await written({ seed: seedOf(nkeys.createUser()) })).by('bus'), {
    status: 'failure',
    fix: /revoked/,
  });
  t.match((await written({ v: 2 })).by('credential'), { status: 'failure', found: /not a credential/ });
});
