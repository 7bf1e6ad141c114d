import { test } from 'tap';
import { tagged } from '../../../http/pipeline/conditional.ts';
import type { HttpRequest } from '../../../http/pipeline/message.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { countsOf } from '../../../src/core/lifecycle/task-counts.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FARM, farmRecord, jobChanges, jobNumber, QUEUE, queueRecord, taskIdAt } from '../kit/records.ts';

const JOB = jobNumber(1);

function furnish(fixture: ApiFixture): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('queue', keys.queue(QUEUE), queueRecord()),
    ...jobChanges({}, [
      { name: 'render', untouched: 'ready', taskCount: 1, space: { kind: 'single' }, touched: new Map() },
    ]),
  );
}

void test('lists and details have a tag, and get 304 until they change', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const paths = [
    '/api/v1/farms',
    `/api/v1/farms/${FARM}`,
    '/api/v1/queues',
    `/api/v1/queues/${QUEUE}`,
    '/api/v1/jobs',
    `/api/v1/jobs/${JOB}`,
    `/api/v1/jobs/${JOB}/tasks`,
    `/api/v1/tasks/${taskIdAt(0, 0)}`,
    `/api/v1/tasks/${taskIdAt(0, 0)}/attempts`,
    `/api/v1/tasks/${taskIdAt(0, 0)}/logs`,
    '/api/v1/workers',
    '/api/v1/compute-locations',
    '/api/v1/usage-pools',
    '/api/v1/version',
    '/api/v1/openapi.yaml',
  ];
  for (const path of paths) {
    const first = await client.get(path);
    const tag = first.headers['etag'] ?? '';
    t.match(tag, /^W\/"[A-Za-z0-9_-]{22}(\.[0-9a-f]+)?"$/, path);
    t.equal(first.headers['cache-control'], 'private, no-cache', path);
    t.equal((await client.get(path)).headers['etag'], tag, `${path}: the tag is unchanged`);
    for (const method of ['GET', 'HEAD']) {
      const second = await client.send(method, path, { headers: { 'if-none-match': tag } });
      t.match(second, { status: 304, text: '' }, `${method} ${path}`);
      t.match(second.headers, {
        etag: tag,
        'cache-control': 'private, no-cache',
        vary: 'Accept-Encoding',
        'x-api-version': '1',
      });
      t.notOk('content-type' in second.headers);
      t.notOk('content-length' in second.headers);
    }
  }
});

void test('a change produces another tag', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const paths = ['/api/v1/jobs', `/api/v1/jobs/${JOB}`];
  for (const path of paths) {
    const before = (await client.get(path)).headers['etag'] ?? '';
    const job = api.store.get('job', keys.job(JOB));
    if (job === undefined) throw new Error('the job was deleted');
    api.write(
      put('job', keys.job(JOB), {
        ...job,
        priority: job.priority + 1,
        taskCounts: countsOf(1, 'ready'),
      }),
    );
    const after = await client.get(path, { 'if-none-match': before });
    t.equal(after.status, 200, path);
    t.not(after.headers['etag'], before);
    t.match(after.text, `"priority":${job.priority + 1}`);
  }
});

void test('supports every form of If-None-Match', async (t) => {
  const { client } = await startApi(t);
  const tag = (await client.get('/api/v1/farms')).headers['etag'] ?? '';
  const strong = tag.slice(2);
  const statusOf = async (given: string): Promise<number> =>
    (await client.get('/api/v1/farms', { 'if-none-match': given })).status;
  const known = [tag, strong, '*', ` ${tag} `, `"x", ${tag}`, `${strong},"y"`, `W/"a,b", ${tag}`];
  for (const given of known) t.equal(await statusOf(given), 304, given);
  const twice = `If-None-Match: "x"\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`;
  t.match(await client.raw(`GET /api/v1/farms HTTP/1.1\r\nHost: a\r\n${twice}`), /^HTTP\/1.1 304 /);
  const unknown = [
    '"x"',
    'W/"x"',
    strong.slice(1, -1),
    '',
    '"',
    '"*"',
    `"${tag}"`,
    `${strong.slice(0, -1)}x"`,
  ];
  for (const given of unknown) t.equal(await statusOf(given), 200, given);
});

void test('only responses to successful reads have a tag', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const untagged: [string, string][] = [
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/api/v1/farms/none'],
    ['GET', '/api/v1/jobs?limit=0'],
    ['PUT', '/api/v1/farms'],
    ['OPTIONS', '/api/v1/farms'],
    ['POST', `/api/v1/jobs/${JOB}/cancel`],
  ];
  for (const [method, path] of untagged) {
    const answer = await client.send(method, path, { headers: { 'if-none-match': '*' } });
    t.not(answer.status, 304, `${method} ${path}`);
    t.notOk('etag' in answer.headers, `${method} ${path}`);
    t.equal(answer.headers['cache-control'], 'no-store', `${method} ${path}`);
  }
});

void test('only successful reads have a tag', (t) => {
  const request = (method: string): HttpRequest => ({ method, headers: [] }) as unknown as HttpRequest;
  const response = { status: 200, headers: [], body: 'text' } as const;
  const hasTag = (method: string, status: number): boolean =>
    tagged(request(method), { ...response, status }).headers.some(([name]) => name === 'ETag');
  t.equal(hasTag('GET', 200), true);
  t.equal(hasTag('HEAD', 200), true);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) t.equal(hasTag(method, 200), false, method);
  for (const status of [201, 404, 500]) t.equal(hasTag('GET', status), false, String(status));
  t.end();
});
