import { test, type Test } from 'tap';
import { createNodeFetch } from '../../cli/client/node-fetch.ts';
import type { HttpFetch } from '../../client/http-fetch.ts';
import { ProblemError, problemOf, ServiceUnreachable } from '../../client/problem.ts';
import { Rest, type RestOptions } from '../../client/rest.ts';
import { answeringService, type Answer } from '../cli/answering-service.ts';

const FARM = { id: 'f', name: 'north', description: '' };
const tooOften = (seconds: string): Answer => ({
  status: 429,
  headers: { 'retry-after': seconds, 'x-request-id': 'r-1' },
  body: { title: 'Too Many Requests', detail: 'come again' },
});

const FETCHES: Readonly<Record<string, HttpFetch>> = {
  'the global fetch': (address, request) => fetch(address, request),
  'the fetch of the command': createNodeFetch(),
};

/** Runs a test with each way to send requests. */
function withEachFetch(name: string, run: (t: Test, fetch: HttpFetch) => Promise<void>): void {
  for (const [by, fetch] of Object.entries(FETCHES)) test(`${name}, by ${by}`, (t) => run(t, fetch));
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  );

/** Properties that identify an error, without its stack. */
const identityOf = (error: unknown): unknown => {
  if (!(error instanceof ProblemError)) return error;
  const { message, status, title, detail, errors, requestId, retryAfterMs } = error;
  return { message, status, title, detail, errors, requestId, retryAfterMs };
};

test('a problem contains all members of the response', (t) => {
  const headers = new Headers({ 'x-request-id': 'r-2', 'retry-after': '7' });
  const body = JSON.stringify({
    title: 'Unprocessable Entity',
    detail: 'the template is not valid',
    errors: [
      { pointer: '/steps/0', detail: 'is missing', line: 3, column: 5 },
      { pointer: '', detail: 'is empty' },
      'nonsense',
      { pointer: 7, detail: { a: 1 }, line: '3' },
    ],
  });
  t.same(identityOf(problemOf({ status: 422, headers }, body)), {
    message: 'Unprocessable Entity: the template is not valid',
    status: 422,
    title: 'Unprocessable Entity',
    detail: 'the template is not valid',
    errors: [
      { pointer: '/steps/0', detail: 'is missing', line: 3, column: 5 },
      { pointer: '', detail: 'is empty' },
      { pointer: '7', detail: '{"a":1}' },
    ],
    requestId: 'r-2',
    retryAfterMs: 7_000,
  });
  t.end();
});

test('a response without a problem document becomes a problem', (t) => {
  const of = (body: string, headers: Record<string, string> = {}): unknown =>
    identityOf(problemOf({ status: 502, headers: new Headers(headers) }, body));
  const bare = { status: 502, detail: '', errors: [], requestId: '', retryAfterMs: null };
  const page = `<html>${'x'.repeat(500)}`;
  const title = 'the server answered 502';
  t.same(of(page), {
    ...bare,
    title,
    detail: page.slice(0, 200),
    message: `${title}: ${page.slice(0, 200)}`,
  });
  t.same(of('', { 'x-request-id': 'r-3' }), { ...bare, title, message: title, requestId: 'r-3' });
  t.same(of('[]'), { ...bare, title, detail: '[]', message: `${title}: []` });
  const empty = { ...bare, title: 'status 502', message: 'status 502' };
  t.same(of('{"title":5,"detail":[],"errors":{}}', { 'retry-after': 'tomorrow' }), empty);
  t.same(of('{"instance":"r-4"}'), { ...empty, requestId: 'r-4' });
  t.end();
});

withEachFetch('a rate-limited call waits as the response demands and reports it', async (t, fetch) => {
  const service = await answeringService({
    'GET /api/v1/farms': [tooOften('0'), tooOften('2'), { body: [FARM] }, tooOften('61')],
    'GET /api/v1/version': [tooOften('25')],
  });
  t.teardown(() => service.close());
  const waits: number[] = [];
  const delays: number[] = [];
  const options: RestOptions = {
    base: `${service.url}/`,
    fetch,
    headers: { authorization: 'Bearer x' },
    delay: (ms) => Promise.resolve(void delays.push(ms)),
    onWaiting: (ms) => waits.push(ms),
  };
  const rest = new Rest(options);
  t.equal(rest.base, service.url);
  t.same(await rest.call('get', '/farms'), [FARM]);
  t.same(
    [waits, delays],
    [
      [100, 2_000],
      [100, 2_000],
    ],
  );
  t.match(identityOf(await failure(rest.call('get', '/farms'))), {
    message: 'Too Many Requests: come again',
    status: 429,
    requestId: 'r-1',
    retryAfterMs: 61_000,
  });
  t.equal(waits.length, 2, 'no call waits longer than a minute');
  await failure(rest.call('get', '/version'));
  t.same(waits.slice(2), [25_000, 25_000], 'in all');
  t.equal(service.requests.length, 7);
  t.ok(service.requests.every(({ headers }) => headers.authorization === 'Bearer x'));
});

withEachFetch('a call that gets 401 is repeated after a sign-in, at most twice', async (t, fetch) => {
  const refused = {
    status: 401,
    body: { title: 'Unauthorized', status: 401, detail: 'no session', instance: 'r-1' },
  };
  const service = await answeringService({
    'GET /api/v1/farms': [refused, refused, { body: [FARM] }],
    'GET /api/v1/version': [refused, refused, refused, refused],
  });
  t.teardown(() => service.close());
  const asked: string[] = [];
  const answers = { isSignedIn: true };
  const rest = new Rest({
    base: service.url,
    fetch,
    onUnauthorized: (method) => {
      asked.push(method);
      return Promise.resolve(answers.isSignedIn);
    },
  });
  t.same(await rest.call('get', '/farms'), [FARM]);
  t.same(asked, ['get', 'get']);
  t.match(await failure(rest.call('get', '/version')), { status: 401 });
  t.equal(asked.length, 4, 'a service that refuses every session is not asked forever');
  answers.isSignedIn = false;
  t.match(await failure(rest.call('get', '/version')), { status: 401 });
  t.equal(service.requests.length, 7);
  t.match(await failure(new Rest({ base: service.url, fetch }).call('get', '/version')), { status: 401 });
  t.equal(service.requests.length, 8, 'without the option the call fails at once');
});

withEachFetch('a signal ends a call at any time', async (t, fetch) => {
  const service = await answeringService({
    'GET /api/v1/farms': [tooOften('50')],
    'GET /api/v1/version': [{ body: '{', holds: true }],
    'GET /api/v1/tasks/t/logs': [{ body: '{"bus_seq":1}\n', holds: true }],
  });
  t.teardown(() => service.close());
  const reason = new Error('the page has moved on');
  const waiting = new AbortController();
  const rest = new Rest({ base: service.url, fetch, onWaiting: () => waiting.abort(reason) });
  t.equal(await failure(rest.call('get', '/farms', { signal: waiting.signal })), reason);
  t.equal(await failure(rest.call('get', '/farms', { signal: waiting.signal })), reason);
  t.equal(service.requests.length, 1, 'a call with an aborted signal is not sent');

  const reading = new AbortController();
  const cutting = new Rest({
    base: service.url,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      reading.abort(reason);
      return response;
    },
  });
  t.equal(await failure(cutting.call('get', '/version', { signal: reading.signal })), reason);

  const following = new AbortController();
  const lines: unknown[] = [];
  const stream = rest.stream(
    '/tasks/{id}/logs',
    { endsAfterMs: null },
    { path: { id: 't' }, signal: following.signal },
  );
  const followed = failure(
    (async () => {
      for await (const line of stream) {
        lines.push(line);
        following.abort(reason);
      }
    })(),
  );
  t.equal(await followed, reason);
  t.same(lines, [{ bus_seq: 1 }]);
});

withEachFetch('distinguishes an unreachable service from a lost response', async (t, fetch) => {
  const service = await answeringService({
    'GET /api/v1/farms': [
      { body: '', cuts: true },
      { body: '[{"id"', breaks: true },
    ],
  });
  const rest = new Rest({ base: service.url, fetch });
  for (let n = 0; n < 2; n++) {
    const error = await failure(rest.call('get', '/farms'));
    t.type(error, ServiceUnreachable);
    t.match(error, { isAnswerLost: true, message: /^the server at http:\S+ cannot be reached: ./ });
  }
  await service.close();
  t.match(await failure(rest.call('get', '/farms')), { isAnswerLost: false, message: /ECONNREFUSED/ });
  const browser = new Rest({
    base: service.url,
    fetch: () => Promise.reject(new TypeError('Failed to fetch')),
  });
  t.match(await failure(browser.call('get', '/farms')), {
    name: 'ServiceUnreachable',
    isAnswerLost: true,
    message: `the server at ${service.url} cannot be reached: Failed to fetch`,
  });
});

withEachFetch('builds addresses, and returns texts and tags', async (t, fetch) => {
  const service = await answeringService({
    'GET /api/v1/jobs/a%2Fb/template': [{ body: '{"name": "x" }' }],
    'GET /api/v1/farms': [
      { body: [FARM], headers: { etag: 'W/"1"' } },
      { status: 304, body: '' },
    ],
    'DELETE /api/v1/farms/f': [{ status: 204, body: '' }],
    'POST /api/v1/farms': [{ body: '<html>' }],
  });
  t.teardown(() => service.close());
  const rest = new Rest({ base: service.url, fetch });
  t.equal(await rest.text('/jobs/{id}/template', { path: { id: 'a/b' } }), '{"name": "x" }');
  t.equal(
    rest.url('/jobs', { query: { status: ['failed', 'canceled'], limit: 5, search: undefined } }).href,
    `${service.url}/api/v1/jobs?status=failed&status=canceled&limit=5`,
  );
  t.same(await rest.ifChanged(null, '/farms'), { etag: 'W/"1"', body: [FARM] });
  t.equal(await rest.ifChanged('W/"1"', '/farms'), null);
  t.equal(await rest.call('delete', '/farms/{id}', { path: { id: 'f' } }), undefined);
  t.match(await failure(rest.call('post', '/farms', { body: { name: 'x' } })), {
    name: 'UnreadableAnswer',
    message: `the server at ${service.url} returned invalid JSON: <html>`,
  });
  t.match(service.requests.at(-1), { method: 'POST', type: 'application/json', body: '{"name":"x"}' });
});
