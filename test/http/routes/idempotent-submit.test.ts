import { test } from 'tap';
import { refused, done, type Outcome } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { Client } from '../kit/client.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FARM, farmRecord, jobNumber, jobRecord, QUEUE, queueRecord, T0 } from '../kit/records.ts';
import type { Answer } from '../kit/contract-check.ts';

const DAY_MS = 86_400_000;
const WHERE = `/api/v1/jobs?farm_id=${FARM}&queue_id=${QUEUE}`;

/** Stores a farm and returns its created jobs in order. */
function furnish(fixture: ApiFixture): JobRecord[] {
  const made: JobRecord[] = [];
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord({ retry: { maxAttempts: 7 } })),
    put('queue', keys.queue(QUEUE), queueRecord({ retry: { retryDelaySeconds: 33 } })),
  );
  // As the farm and the job actor do: job and key in one commit, then the reply.
  fixture.answer = ({ message }): Outcome<unknown> => {
    if (message.type !== 'job.submit') return done(null);
    const { once, retry, submitter } = message.submission;
    const job = jobRecord({ id: jobNumber(made.length + 1), retry, submitter });
    made.push(job);
    const inherited = { maxAttempts: 7, retryDelaySeconds: 33, failureLimit: 0 };
    fixture.write(put('job', keys.job(job.id), job));
    if (once !== undefined) {
      const { rowKey, fingerprint, expiresAt } = once;
      fixture.write(put('idempotencyKey', rowKey, { version: 1, fingerprint, expiresAt, job, inherited }));
    }
    return done(job);
  };
  return made;
}

interface Sent {
  readonly query?: string;
  readonly body?: string;
  readonly type?: string;
}

function submit(client: Client, key: string | null, sent: Sent = {}): Promise<Answer> {
  const { query = '', body = 'name: a', type = 'application/yaml' } = sent;
  const headers = { 'content-type': type, ...(key !== null && { 'idempotency-key': key }) };
  return client.send('POST', `${WHERE}${query}`, { headers, body });
}

void test('a repeated request returns the first response and creates no second job', async (t) => {
  const { api, client } = await startApi(t);
  const made = furnish(api);
  const first = await submit(client, 'k1', { query: '&failure_limit=4' });
  t.equal(first.status, 201);
  t.notOk('idempotency-replayed' in first.headers);
  // The job, its farm and the disk state have changed.
  api.write(
    put('job', keys.job(jobNumber(1)), jobRecord({ status: 'canceled', priority: 1 })),
    put('farm', keys.farm(FARM), farmRecord({ retry: { maxAttempts: 1 } })),
  );
  api.acceptsSubmissions = false;
  const again = await submit(client, 'k1', { query: '&failure_limit=4' });
  t.equal(again.status, 201);
  t.equal(again.text, first.text, 'identical bytes');
  t.equal(again.headers['location'], first.headers['location']);
  t.equal(again.headers['idempotency-replayed'], 'true');
  t.equal(made.length, 1);
  t.equal(api.prepared.length, 1, 'the template is not parsed again');
  api.acceptsSubmissions = true;
  t.equal((await submit(client, 'k2', { query: '&failure_limit=4' })).status, 201);
  t.equal((await submit(client, null)).status, 201);
  t.equal((await submit(client, null)).status, 201);
  t.equal(made.length, 4, 'another key and no key create jobs');
});

void test('only the order of parameters may differ in a repeated request', async (t) => {
  const { api, client } = await startApi(t);
  const made = furnish(api);
  const query = '&priority=3&param.A=1&param.B=2';
  t.equal((await submit(client, 'k', { query })).status, 201);
  t.equal((await submit(client, 'k', { query: '&param.B=2&param.A=1&priority=3' })).status, 201);
  t.equal((await submit(client, 'k', { query: `${query}&unknown=1` })).status, 201);
  const others: Sent[] = [
    { query, body: 'name: b' },
    { query, body: 'name: a ' },
    { query, type: 'text/yaml' },
    { query: '&priority=4&param.A=1&param.B=2' },
    { query: '&priority=3&param.A=2&param.B=1' },
    { query: '&priority=3&param.A=1' },
    { query: `${query}&project=x` },
    {},
  ];
  for (const other of others) {
    t.match(await submit(client, 'k', other), {
      status: 422,
      body: { detail: 'this Idempotency-Key was already used with a different request; use a new key' },
    });
  }
  t.equal(made.length, 1);
});

void test('of two parallel requests with one key, one creates the job and the other gets a request to retry', async (t) => {
  const { api, client } = await startApi(t);
  const made = furnish(api);
  const answer = api.answer;
  let finish = (): void => undefined;
  api.answer = (envelope) =>
    new Promise((resolve) => {
      finish = () => {
        resolve(answer(envelope));
      };
    });
  const first = submit(client, 'k');
  await api.until(() => api.asked.length === 1);
  for (const other of [{}, { body: 'name: b' }]) {
    t.match(await submit(client, 'k', other), {
      status: 409,
      body: { detail: 'a request with this Idempotency-Key is still in progress; retry later' },
    });
  }
  finish();
  const { status, text } = await first;
  t.equal(status, 201);
  t.match(await submit(client, 'k'), { status: 201, text, headers: { 'idempotency-replayed': 'true' } });
  t.equal(made.length, 1);
});

void test('a failed request does not use its key', async (t) => {
  const { api, client } = await startApi(t);
  const made = furnish(api);
  const { preparation, answer } = api;
  api.preparation = { ok: false, errors: [{ pointer: '/name', detail: 'is missing' }] };
  t.equal((await submit(client, 'k')).status, 422);
  api.preparation = preparation;
  api.answer = () => refused('bad-request', 'no such queue');
  t.equal((await submit(client, 'k')).status, 400);
  api.answer = () => Promise.reject(new Error('broken'));
  t.equal((await submit(client, 'k')).status, 500);
  api.answer = answer;
  const other = await submit(client, 'k', { body: 'name: other' });
  t.equal(other.status, 201);
  t.notOk('idempotency-replayed' in other.headers);
  t.equal(made.length, 1);
});

void test('a key is valid for a day, also across midnight', async (t) => {
  const { api, client } = await startApi(t);
  const made = furnish(api);
  api.now = T0;
  const first = await submit(client, 'k');
  api.now = T0 + DAY_MS - 1;
  t.equal((await submit(client, 'k')).text, first.text);
  api.now = T0 + DAY_MS;
  const second = await submit(client, 'k', { body: 'name: b' });
  t.equal(second.status, 201);
  t.not(second.text, first.text);
  t.equal(made.length, 2);
  api.now = T0 + DAY_MS + 1;
  t.equal((await submit(client, 'k', { body: 'name: b' })).text, second.text);
  api.now = T0 + 3 * DAY_MS;
  t.equal((await submit(client, 'k')).status, 201);
  t.equal(made.length, 3);
});

void test('a key is 1 to 255 printable ASCII characters', async (t) => {
  const { api, client } = await startApi(t);
  const made = furnish(api);
  const good = ['x', 'x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'a b', '~!'];
  for (const key of good) t.equal((await submit(client, key)).status, 201, key);
  t.equal(made.length, good.length);
  const bad: [string, RegExp][] = [
    ['x'.repeat(256), /^\/header\/Idempotency-Key: /],
    ['', /^\/header\/Idempotency-Key: /],
    ['a\tb', /printable ASCII/],
    // The engine trims such bytes at the end of a header.
    ['a\u00e9b', /printable ASCII/],
  ];
  for (const [key, detail] of bad) {
    t.match(await submit(client, key), { status: 400, body: { detail } }, JSON.stringify(key));
  }
  const twice =
    `POST ${WHERE} HTTP/1.1\r\nHost: a\r\nContent-Type: text/yaml\r\nContent-Length: 7\r\nConnection: close\r\n` +
    'Idempotency-Key: a\r\nIdempotency-Key: a\r\n\r\nname: a';
  t.match(await client.raw(twice), /^HTTP\/1.1 400 [^]*Idempotency-Key: is given more than once/);
  t.equal(made.length, good.length);
});
