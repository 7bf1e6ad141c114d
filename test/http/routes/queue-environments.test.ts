import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { queueId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { QueueEnvironmentRecord } from '../../../src/core/records/queue-environment.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { partsOf, startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  jobNumber,
  jobPlan,
  jobRecord,
  QUEUE,
  queueRecord,
  T0,
  uuid,
} from '../kit/records.ts';

const PATH = `/api/v1/queues/${QUEUE}/environments`;
const TEMPLATE = 'specificationVersion: environment-2023-09\nenvironment: {name: Conda, variables: {A: b}}\n';

const record = (number: number, parts: Partial<QueueEnvironmentRecord> = {}): QueueEnvironmentRecord => ({
  version: 1,
  id: uuid('e', number),
  queueId: QUEUE,
  farmId: FARM,
  name: `E${number}`,
  priority: 10,
  format: 'yaml',
  template: `template ${number}`,
  createdAt: T0,
  updatedAt: T0,
  ...parts,
});
const row = (environment: QueueEnvironmentRecord) =>
  put('queueEnvironment', keys.queueEnvironment(environment.queueId, environment.id), environment);

function furnish(api: ApiFixture, ...environments: readonly QueueEnvironmentRecord[]): void {
  api.write(
    put('farm', keys.farm(FARM), farmRecord({})),
    put('queue', keys.queue(QUEUE), queueRecord({})),
    ...environments.map(row),
  );
}

void test('lists the environments of a queue in their order', async (t) => {
  const { api, client } = await startApi(t);
  const other = queueId(uuid('a', 9));
  furnish(api, record(3, { priority: 5 }), record(2), record(1), record(4, { queueId: other }));
  const { status, body } = await client.get(PATH);
  t.equal(status, 200);
  t.same(
    (body as { name: string }[]).map(({ name }) => name),
    ['E3', 'E1', 'E2'],
  );
  const one = await client.get(`${PATH}/${uuid('e', 1)}`);
  const version = /\.([0-9a-f]+)"$/.exec(String(one.headers['etag']))?.[1];
  t.strictSame(one.body, {
    id: uuid('e', 1),
    queue_id: QUEUE,
    name: 'E1',
    priority: 10,
    format: 'yaml',
    template: 'template 1',
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    settings_version: version,
  });
  t.match(one.headers['etag'], /^W\/"[^"]+"$/);
  for (const path of [
    `/api/v1/queues/${other}/environments`,
    `${PATH}/${uuid('e', 4)}`,
    `/api/v1/queues/${other}/parameters`,
  ])
    t.equal((await client.get(path)).status, 404, path);
});

void test('an environment is checked with the others of the queue, then sent to the farm', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, record(1), record(2, { priority: 30 }));
  api.answer = () => done(record(7, { name: 'Conda' }));
  const made = await client.json('POST', PATH, { template: TEMPLATE, priority: 20 });
  t.match(made, { status: 201, body: { id: uuid('e', 7), name: 'Conda' } });
  t.equal(made.headers['location'], `${PATH}/${uuid('e', 7)}`);
  const texts = (...all: readonly string[]): unknown => all.map((text) => ({ text, format: 'yaml' }));
  t.same(api.checkedEnvironments, [
    { client: '127.0.0.1', environments: texts('template 1', TEMPLATE, 'template 2'), subject: 1 },
  ]);
  const input = { name: 'Conda', template: TEMPLATE, format: 'yaml', priority: 20 };
  t.same(api.asked, [
    {
      actor: 'farm',
      id: FARM,
      message: { type: 'queue-environment.create', queueId: QUEUE, input, replyTo: replyTo('front') },
    },
  ]);
  await client.json('POST', PATH, { template: '{}', format: 'json' });
  t.match(api.checkedEnvironments[1], { subject: 2 }, 'without a priority it is the last one');
  t.notOk('priority' in (api.asked[1]?.message as unknown as { input: object }).input);

  api.answer = () => refused('conflict', 'the queue already has an environment named "Conda"');
  t.equal((await client.json('POST', PATH, { template: TEMPLATE })).status, 409);
  for (const body of [
    {},
    { template: '' },
    { template: TEMPLATE, priority: -1 },
    { template: TEMPLATE, format: 'xml' },
  ])
    t.equal((await client.json('POST', PATH, body)).status, 400, JSON.stringify(body));
});

void test('a dry run checks a template and stores nothing', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, record(1), record(2, { priority: 30 }));
  const checked = await client.json('POST', `${PATH}?dry_run=true&replaces=${uuid('e', 1)}`, {
    template: TEMPLATE,
  });
  t.match(checked, { status: 200, body: { name: 'Conda', parameters: [] } });
  t.match(api.checkedEnvironments, [
    { environments: [{ text: TEMPLATE }, { text: 'template 2' }], subject: 0 },
  ]);
  t.same(api.asked, []);
  t.equal(
    (await client.json('POST', `${PATH}?replaces=${uuid('e', 1)}`, { template: TEMPLATE })).status,
    400,
  );
  t.equal(
    (await client.json('POST', `${PATH}?dry_run=true&replaces=none`, { template: TEMPLATE })).status,
    404,
  );
  api.environments = {
    ok: false,
    errors: [{ pointer: '/environment', detail: 'must have "variables" or "script"', line: 2, column: 1 }],
  };
  const wrong = await client.json('POST', `${PATH}?dry_run=true`, { template: TEMPLATE });
  t.match(wrong, {
    status: 422,
    body: { detail: '/environment: must have "variables" or "script"', errors: [{ line: 2, column: 1 }] },
  });
  api.environments = { ok: false, deadline: true };
  t.equal((await client.json('POST', `${PATH}?dry_run=true`, { template: TEMPLATE })).status, 503);
});

void test('an environment is replaced and deleted with If-Match', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, record(1));
  const path = `${PATH}/${uuid('e', 1)}`;
  const etag = String((await client.get(path)).headers['etag']);
  api.answer = () => done(record(1, { name: 'Conda' }));
  const body = JSON.stringify({ template: TEMPLATE });
  const headers = { 'content-type': 'application/json', 'if-match': etag };
  t.match(await client.send('PUT', path, { headers, body }), { status: 200, body: { name: 'Conda' } });
  api.answer = () => done(null);
  t.equal((await client.send('DELETE', path, { headers: { 'if-match': etag } })).status, 204);
  const version = etag.slice(etag.lastIndexOf('.') + 1, -1);
  t.match(api.asked, [
    {
      message: {
        type: 'queue-environment.replace',
        environmentId: uuid('e', 1),
        ifMatch: [version],
        input: { name: 'Conda', template: TEMPLATE },
      },
    },
    { message: { type: 'queue-environment.delete', environmentId: uuid('e', 1), ifMatch: [version] } },
  ]);
  const none = `${PATH}/${uuid('e', 2)}`;
  t.equal((await client.json('PUT', none, { template: TEMPLATE })).status, 404);
  t.equal((await client.send('DELETE', none)).status, 404);
});

void test('the parameters of a queue are those of its environments', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const path = `/api/v1/queues/${QUEUE}/parameters`;
  t.same((await client.get(path)).body, []);
  t.same(api.checkedEnvironments, [], 'without environments there is nothing to check');
  api.write(row(record(1)));
  t.same((await client.get(path)).body, []);
  t.match(api.checkedEnvironments, [{ environments: [{ text: 'template 1' }], subject: null }]);
});

const SUBMISSION = 'application/vnd.callsheet.submission+json';
const WHERE = `farm_id=${FARM}&queue_id=${QUEUE}`;
const PLAN = jobPlan([]);

function prepare(api: ApiFixture): void {
  api.preparation = {
    ok: true,
    job: {
      plan: partsOf(PLAN),
      rows: null,
      description: '',
      extensions: [],
      environments: [{ origin: 'queue', name: 'E1', format: 'yaml', text: 'template 1' }],
    },
    previews: [],
  };
  api.answer = () => done(jobRecord({ id: jobNumber(1) }));
}

void test('a job gets the environments of its queue, then those that are sent with it', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, record(2), record(1));
  prepare(api);
  const body = JSON.stringify({
    template: 'name: x',
    environments: [{ template: '{}', format: 'json' }, { template: 'second' }],
  });
  const made = await client.send('POST', `/api/v1/jobs?${WHERE}`, {
    headers: { 'content-type': SUBMISSION },
    body,
  });
  t.equal(made.status, 201);
  t.match(api.prepared, [
    {
      text: 'name: x',
      format: 'yaml',
      environments: [
        { origin: 'queue', text: 'template 1', format: 'yaml' },
        { origin: 'queue', text: 'template 2', format: 'yaml' },
        { origin: 'submission', text: '{}', format: 'json' },
        { origin: 'submission', text: 'second', format: 'yaml' },
      ],
    },
  ]);
  t.match(api.asked, [
    { message: { submission: { template: { text: 'name: x', environments: [{ name: 'E1' }] } } } },
  ]);
  for (const [text, detail] of [
    ['x', /^the body is not a submission/],
    ['{}', /template: is missing/],
    ['{"template": "x", "format": "xml"}', /format: must be one of yaml, json/],
    ['{"template": "x", "environments": {}}', /environments: must be a list/],
    [
      '{"template": "x", "environments": [{"template": ""}]}',
      /environments\[0\]\.template: must not be empty/,
    ],
    ['{"template": "\\ud800"}', /template: must not contain an unpaired surrogate/],
  ] as const)
    t.match(
      await client.send('POST', `/api/v1/jobs?${WHERE}`, {
        headers: { 'content-type': SUBMISSION },
        body: text,
      }),
      { status: 400, body: { detail } },
      text,
    );
  await client.json('POST', '/api/v1/products/script/jobs', {
    farm_id: FARM,
    queue_id: QUEUE,
    environments: Array.from({ length: 21 }, () => ({ template: 'x' })),
  });
  t.equal(api.prepared.length, 1, 'more than 20 environments are refused');
});

void test('a job shows the environments that it was submitted with, and a clone keeps those that were sent', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, record(1));
  prepare(api);
  const id = jobNumber(5);
  api.write(
    put('job', keys.job(id), jobRecord({ id, status: 'completed' })),
    put('plan', keys.plan(id), PLAN),
    put('template', keys.template(id), {
      version: 1,
      format: 'yaml',
      text: 'name: x',
      environments: [
        { origin: 'queue', name: 'Old', format: 'yaml', text: 'old' },
        { origin: 'submission', name: 'Sent', format: 'json', text: '{}' },
      ],
    }),
  );
  t.strictSame((await client.get(`/api/v1/jobs/${id}/environments`)).body, [
    { name: 'Old', origin: 'queue', format: 'yaml', template: 'old' },
    { name: 'Sent', origin: 'submission', format: 'json', template: '{}' },
  ]);
  t.equal((await client.json('POST', `/api/v1/jobs/${id}/clone`, {})).status, 201);
  const body = { environments: [{ template: 'other' }] };
  t.equal((await client.json('POST', `/api/v1/jobs/${id}/clone`, body)).status, 201);
  t.match(api.prepared, [
    {
      environments: [
        { origin: 'queue', text: 'template 1' },
        { origin: 'submission', text: '{}', format: 'json' },
      ],
    },
    {
      environments: [
        { origin: 'queue', text: 'template 1' },
        { origin: 'submission', text: 'other', format: 'yaml' },
      ],
    },
  ]);
  const plain = jobNumber(6);
  api.write(
    put('job', keys.job(plain), jobRecord({ id: plain })),
    put('template', keys.template(plain), { version: 1, format: 'yaml', text: 'name: x' }),
  );
  t.same(
    (await client.get(`/api/v1/jobs/${plain}/environments`)).body,
    [],
    'a row of an earlier version has none',
  );
});
