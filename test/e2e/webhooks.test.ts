import { mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { FarmClient } from '../kit/api-client.ts';
import { startAuthService, type Credential, type Received } from '../kit/auth-service.ts';
import {
  freePort,
  startService,
  startWorker,
  type RunningService,
  type ServiceOptions,
} from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { isSigned, WebhookReceiver } from '../kit/webhook-receiver.ts';

tap.setTimeout(240_000);

interface Webhook {
  readonly id: string;
  readonly secret: string;
  readonly endpoint: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly pending: number;
}

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_attempt: { readonly status: number | null; readonly error: string | null } | null;
}

const ALLOWED = '--webhooks-allow-private=127.0.0.0/8';
const job = (command: string, name = command, range = '1'): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'S',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range }] },
      script: { actions: { onRun: { command } } },
    },
  ],
});
const ALL_OF_JOBS = ['job.completed', 'job.failed', 'job.canceled', 'job.parked'];

async function options(t: Test, flags: readonly string[] = [ALLOWED]): Promise<ServiceOptions> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-webhooks-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return { folder, httpPort: await freePort(), busPort: await freePort(), flags };
}

async function serviceOf(t: Test, flags?: readonly string[]): Promise<RunningService> {
  const service = await startService(await options(t, flags));
  t.teardown(() => service.daemon.kill('SIGTERM'));
  return service;
}

async function receiverOf(t: Test): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

const createWebhook = ({ api }: RunningService, url: string, more: object = {}): Promise<Webhook> =>
  api.must('POST', '/api/v1/webhooks', { name: 'hook', url, events: ALL_OF_JOBS, ...more });

const deliveriesOf = ({ api }: RunningService, { id }: Webhook): Promise<readonly Delivery[]> =>
  api.must('GET', `/api/v1/webhooks/${id}/deliveries`);

async function cancel(service: RunningService, farm: FarmClient, name: string, owner = ''): Promise<string> {
  const { body } = await farm.submit(job('true', name), owner === '' ? {} : { owner });
  await service.api.must('POST', `/api/v1/jobs/${body.id}/cancel`);
  return body.id;
}

void test('events are signed, filtered and in the delivery log; keys and paths of URLs are not shown', async (t) => {
  const service = await serviceOf(t);
  const { api } = service;
  const farm = await api.makeFarm('north');
  const other = await api.makeFarm('south');
  const receiver = await receiverOf(t);
  const all = await createWebhook(service, receiver.url('/all-token'));
  await createWebhook(service, receiver.url('/south'), { farm_id: other.farmId });
  await createWebhook(service, receiver.url('/queue'), { queue_id: farm.queueId });
  await createWebhook(service, receiver.url('/ann'), { owner: 'ANN' });
  await createWebhook(service, receiver.url('/failed'), { events: ['job.failed'] });
  await createWebhook(service, receiver.url('/off'), { enabled: false });
  const of = await cancel(service, farm, 'for ann', 'ann');
  await until('three requests', () => receiver.received.length >= 3);
  const sorted = (): string[] => receiver.received.map(({ path }) => path).sort();
  t.strictSame(sorted(), ['/all-token', '/ann', '/queue']);
  await cancel(service, other, 'other');
  await until('five requests', () => receiver.received.length >= 5);
  t.strictSame(sorted().slice(-2), ['/queue', '/south']);
  const [first] = receiver.received.filter(({ path }) => path === '/all-token');
  if (first === undefined) throw new Error('there is no request');
  t.equal(first.body.type, 'job.canceled');
  t.equal(first.body.job?.id, of);
  t.equal(first.headers['x-callsheet-event'], 'job.canceled');
  t.equal(first.headers['content-type'], 'application/json');
  t.ok(isSigned(first, all.secret));
  t.notOk(isSigned(first, `${all.secret}x`), 'another key');
  const log = await until('the log has both', async () => {
    const found = await deliveriesOf(service, all);
    return found.length === 2 && found.every(({ status }) => status === 'delivered') && found;
  });
  t.equal(log[1]?.id, first.headers['x-callsheet-delivery'], 'the newest is the first');
  const shown = [
    ...(await Promise.all(
      ['', `/${all.id}`, `/${all.id}/deliveries`].map((path) => api.call('GET', `/api/v1/webhooks${path}`)),
    )),
  ];
  const text = `${JSON.stringify(shown.map(({ body }) => body))}${service.daemon.log()}`;
  t.notOk(text.includes(all.secret) || text.includes('all-token'), 'no key, and no path of a URL');
  t.equal(all.endpoint, `http://127.0.0.1:${receiver.port}`);
  const rotated = await api.must<Webhook>('POST', `/api/v1/webhooks/${all.id}/secret`);
  const tested = await api.must<Delivery>('POST', `/api/v1/webhooks/${all.id}/test`);
  t.equal(tested.status, 'delivered');
  const test = receiver.received.find(({ body }) => body.type === 'webhook.test');
  if (test === undefined) throw new Error('there is no test');
  t.ok(isSigned(test, rotated.secret) && isSigned(test, all.secret), 'the new and the previous key sign');
});

void test('failed, parked and completed jobs and a lost worker are notified', async (t) => {
  const service = await serviceOf(t, [ALLOWED, '--scheduler-heartbeat-timeout=3s']);
  const farm = await service.api.makeFarm('north');
  const receiver = await receiverOf(t);
  await createWebhook(service, receiver.url(), { events: [...ALL_OF_JOBS, 'worker.offline'] });
  const worker = startWorker(service, 'w1', ['--worker-farm=north']);
  t.teardown(() => worker.kill());
  await farm.submit(job('true'));
  await farm.submit(job('false'), { max_attempts: '1' });
  await farm.submit(job('false', 'parked', '1-200'), { max_attempts: '9', failure_limit: '1' });
  const found = (type: string) => receiver.received.find(({ body }) => body.type === type)?.body;
  await until('three events', () => receiver.received.length >= 3);
  t.equal(found('job.completed')?.job?.name, 'true');
  t.match(found('job.failed')?.summary, /^Job false .*has failed \(1 of 1 tasks failed\)$/);
  t.equal(found('job.parked')?.job?.name, 'parked');
  await worker.kill('SIGKILL');
  await until('the worker is offline', () => found('worker.offline') !== undefined);
  t.match(found('worker.offline')?.worker, { name: 'w1', departed: false });
});

void test('a delivery is retried after kill -9 with the same id', async (t) => {
  const settings = await options(t);
  const first = await startService(settings);
  const farm = await first.api.makeFarm('north');
  const port = await freePort();
  const webhook = await createWebhook(first, `http://127.0.0.1:${port}/`);
  await cancel(first, farm, 'lost');
  const [failed] = await until('an attempt has failed', async () => {
    const log = await deliveriesOf(first, webhook);
    return (log[0]?.attempts ?? 0) > 0 && log;
  });
  t.match(failed, { status: 'pending', last_attempt: { status: null, error: /ECONNREFUSED/ } });
  await first.daemon.kill('SIGKILL');
  const receiver = await WebhookReceiver.start(port);
  t.teardown(() => receiver.stop());
  const second = await startService(settings);
  t.teardown(() => second.daemon.kill('SIGTERM'));
  await until('the delivery arrives', () => receiver.received.length > 0);
  t.equal(receiver.received[0]?.headers['x-callsheet-delivery'], failed?.id);
  t.ok(Number(receiver.received[0]?.headers['x-callsheet-attempt']) > 1);
  await until(
    'it is in the log',
    async () => (await deliveriesOf(second, webhook))[0]?.status === 'delivered',
  );
});

void test('no event of a canceled job is lost by kill -9', async (t) => {
  const settings = await options(t);
  const first = await startService(settings);
  const farm = await first.api.makeFarm('north');
  const receiver = await receiverOf(t);
  await createWebhook(first, receiver.url());
  const ids: string[] = [];
  for (let number = 0; number < 40; number++) ids.push((await farm.submit(job('true'))).body.id);
  // The service is killed as soon as the first of the cancellations is answered.
  await Promise.race(ids.map((id) => first.api.must('POST', `/api/v1/jobs/${id}/cancel`)));
  await first.daemon.kill('SIGKILL');
  const second = await startService(settings);
  t.teardown(() => second.daemon.kill('SIGTERM'));
  const jobs = await Promise.all(ids.map((id) => second.api.job(id)));
  const canceled = jobs.filter(({ status }) => status === 'canceled').map(({ id }) => id);
  t.ok(canceled.length > 0);
  const notified = (): Set<string | undefined> => new Set(receiver.received.map(({ body }) => body.job?.id));
  await until('all are notified', () => canceled.every((id) => notified().has(id)));
  t.strictSame([...notified()].sort(), [...canceled].sort(), 'and no others');
});

void test('redirects are not followed, and 410 disables a webhook', async (t) => {
  const service = await serviceOf(t);
  const farm = await service.api.makeFarm('north');
  const [receiver, elsewhere] = [await receiverOf(t), await receiverOf(t)];
  receiver.answer = ({ path }) =>
    path === '/gone' ? { status: 410 } : { status: 302, headers: { location: elsewhere.url() } };
  const redirected = await createWebhook(service, receiver.url('/moved'));
  const gone = await createWebhook(service, receiver.url('/gone'));
  const tested = await service.api.must<Delivery>('POST', `/api/v1/webhooks/${redirected.id}/test`);
  t.match(tested, { status: 'failed', last_attempt: { status: 302, error: /redirect/ } });
  await cancel(service, farm, 'a job');
  const disabled = await until('it is disabled', async () => {
    const found = await service.api.must<Webhook>('GET', `/api/v1/webhooks/${gone.id}`);
    return !found.enabled && found;
  });
  t.equal(disabled.disabled_reason, 'gone');
  t.strictSame(elsewhere.received, []);
});

void test('private addresses are refused, also behind a name', async (t) => {
  const service = await serviceOf(t, []);
  const receiver = await receiverOf(t);
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '[::1]',
    '10.1.2.3',
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
  ]) {
    const { status, body } = await service.api.call('POST', '/api/v1/webhooks', {
      name: 'hook',
      url: `http://${host}:${receiver.port}/`,
      events: ['job.failed'],
    });
    t.equal(status, 400, host);
    t.match(JSON.stringify(body), /\/url: the address .* is not public/);
  }
  const named = await createWebhook(service, `http://localhost:${receiver.port}/`);
  const tested = await service.api.must<Delivery>('POST', `/api/v1/webhooks/${named.id}/test`);
  t.match(tested, { status: 'failed', last_attempt: { status: null, error: /is not public/ } });
  t.strictSame(receiver.received, []);
});

void test('a file of the operator is a format', async (t) => {
  const settings = await options(t);
  const folder = join(settings.folder, 'formats');
  await mkdir(folder);
  await writeFile(
    join(folder, 'pager.yaml'),
    "title: Pager\nescape: { '<': '(' }\nwords: { level: { job.canceled: low } }\nbody: { level: '{{level}}', lines: ['{{job.name}} of {{farm.name}}'] }\n",
  );
  await writeFile(join(folder, 'broken.yaml'), 'title: Broken\n');
  const service = await startService({
    ...settings,
    flags: [ALLOWED, `--webhooks-format-dir=${folder}`],
  });
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const formats = await service.api.must<readonly { name: string }[]>('GET', '/api/v1/webhook-formats');
  t.strictSame(
    formats.map(({ name }) => name),
    ['generic', 'discord', 'mattermost', 'slack', 'pager'],
  );
  t.match(service.daemon.log(), /a format of webhooks was skipped/);
  const farm = await service.api.makeFarm('north');
  const receiver = await receiverOf(t);
  await createWebhook(service, receiver.url('/pager'), { format: 'pager' });
  await createWebhook(service, receiver.url('/slack'), { format: 'slack' });
  await cancel(service, farm, 'a "<!channel>"');
  await until('both have it', () => receiver.received.length >= 2);
  const textOf = (path: string): string => receiver.received.find((each) => each.path === path)?.text ?? '';
  t.strictSame(JSON.parse(textOf('/pager')), { level: 'low', lines: ['a "(!channel>" of north'] });
  t.match(textOf('/slack'), 'Job a \\"&lt;!channel&gt;\\"');
});

void test('users manage webhooks of their own jobs; keys are neither in the audit log nor in the log', async (t) => {
  const settings = await options(t);
  const auth = await startAuthService(settings.folder, { flags: [ALLOWED] });
  t.teardown(() => auth.service.daemon.kill('SIGTERM'));
  const receiver = await receiverOf(t);
  const annId = await auth.user('ann');
  for (const [name, role] of [
    ['bob', 'user'],
    ['oscar', 'operator'],
    ['viewer', 'read-only'],
  ] as const)
    await auth.user(name, role);
  const [ann, bob, oscar, viewer] = [
    await auth.signIn('ann'),
    await auth.signIn('bob'),
    await auth.signIn('oscar'),
    await auth.signIn('viewer'),
  ];
  const create = (credential: Credential, more: object = {}): Promise<Received<Webhook>> => {
    const body = { name: 'hook', url: receiver.url('/token-in-path'), events: ['job.failed'], ...more };
    return auth.send<Webhook>({ method: 'POST', path: '/api/v1/webhooks', body }, credential);
  };
  const get = (credential: Credential, path = ''): Promise<Received<unknown>> =>
    auth.send<unknown>({ path: `/api/v1/webhooks${path}` }, credential);
  t.equal((await create(viewer)).status, 403);
  t.equal((await get(viewer)).status, 403);
  t.equal((await create(ann)).status, 403, 'not for all jobs');
  t.equal((await create(ann, { owner: 'bob' })).status, 403, 'not for the jobs of others');
  const own = await create(ann, { owner: 'Ann' });
  t.equal(own.status, 201);
  const all = await create(oscar);
  t.equal(all.status, 201);
  const ids = async (credential: Credential): Promise<string[]> => {
    const { body } = await get(credential);
    return (body as readonly Webhook[]).map(({ id }) => id).sort();
  };
  t.strictSame(await ids(ann), [own.body.id]);
  t.strictSame(await ids(bob), []);
  t.strictSame(await ids(oscar), [own.body.id, all.body.id].sort());
  for (const path of ['', '/deliveries'])
    t.equal((await get(bob, `/${own.body.id}${path}`)).status, 403, path);
  for (const path of ['/test', '/secret'])
    t.equal(
      (await auth.send({ method: 'POST', path: `/api/v1/webhooks/${own.body.id}${path}` }, bob)).status,
      403,
    );
  const body = { name: 'hook', events: ['job.failed'], owner: 'bob' };
  for (const [credential, why] of [
    [bob, 'the webhook of another user'],
    [ann, 'to another owner'],
  ] as const)
    t.equal(
      (await auth.send({ method: 'PUT', path: `/api/v1/webhooks/${own.body.id}`, body }, credential)).status,
      403,
      why,
    );
  await auth.send({ method: 'DELETE', path: `/api/v1/users/${annId}` }, auth.admin);
  t.match((await get(oscar, `/${own.body.id}`)).body, { enabled: false, disabled_reason: 'account-deleted' });
  const audit = await auth.send({ path: '/api/v1/audit?path=/api/v1/webhooks' }, auth.admin);
  t.match(audit.text, new RegExp(own.body.id), 'the changes are in the audit log');
  for (const [where, text] of [
    ['audit log', audit.text],
    ['log', auth.service.daemon.log()],
    ['list', (await get(oscar)).text],
  ] as const)
    for (const secret of [own.body.secret, all.body.secret, 'token-in-path'])
      t.notOk(text.includes(secret), `not in the ${where}`);
});
