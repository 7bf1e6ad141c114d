import { readFile } from 'node:fs/promises';
import type { Case } from '../../kit/cases.ts';
import type { CheckedClient } from '../../kit/checked-client.ts';
import { type RestContext, UNKNOWN } from './kit.ts';

const MIB = 2 ** 20;

/** Rules for all requests: operational routes, headers, methods, CORS and bodies (docs/contract/rest.md). */
export const requestCases: readonly Case<RestContext>[] = [
  [
    'healthz, readyz, metrics, openapi.yaml and version are public',
    async (t, { api }) => {
      t.strictSame(await api.read('/healthz'), { status: 'ok' });
      t.match(await api.read('/readyz'), { status: 'ok', checks: { store: 'ok', bus: 'ok' } });
      const metrics = await api.get('/metrics');
      t.match(metrics.headers['content-type'], /^text\/plain; version=0\.0\.4/);
      for (const name of ['svc_scheduler_task_retries_total', 'svc_scheduler_jobs_autoparked_total']) {
        t.match(metrics.text, new RegExp(`^# TYPE ${name} counter$`, 'm'), 'exists from the start');
      }
      const document = await api.get('/api/v1/openapi.yaml');
      t.equal(document.text, await readFile('http/openapi/openapi.yaml', 'utf8'), 'served verbatim');
      t.match(await api.read('/api/v1/version'), {
        version: /^\d+\.\d+\.\d+/,
        commit: String,
        built_at: String,
        node: process.version,
        api: '1',
      });
    },
  ],
  [
    'X-API-Version: 1 on every response under /api/v1, and X-Request-ID on every response',
    async (t, { api }) => {
      const paths: readonly (readonly [string, string | undefined])[] = [
        ['/api/v1/farms', '1'],
        [`/api/v1/jobs/${UNKNOWN}`, '1'],
        ['/api/v1/no-such-thing', '1'],
        ['/api/v1/jobs?limit=x', '1'],
        ['/api/v1', '1'],
        ['/healthz', undefined],
        ['/metrics', undefined],
        ['/api/v2/jobs', undefined],
        ['/', undefined],
      ];
      for (const [path, version] of paths) {
        const { headers } = await api.get(path);
        t.equal(headers['x-api-version'], version, path);
        t.match(headers['x-request-id'], /^[A-Za-z0-9._-]{1,128}$/, path);
      }
      const echo = async (id: string): Promise<string | undefined> =>
        (await api.get('/healthz', { 'x-request-id': id })).headers['x-request-id'];
      for (const id of ['a', 'Render.42_x-Y', 'z'.repeat(128)]) t.equal(await echo(id), id);
      for (const id of ['two words', 'z'.repeat(129), 'a/b', '<b>', 'a,b']) t.not(await echo(id), id);
      t.not(await echo('a b'), await echo('a b'), 'each request has its own ID');
      const { body } = await api.get('/api/v1/nothing', { 'x-request-id': 'mine' });
      t.strictSame(body, {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'no resource at /api/v1/nothing',
        instance: 'mine',
      });
    },
  ],
  [
    'an unsupported method on a known path returns 405 with Allow; OPTIONS and HEAD',
    async (t, { api }) => {
      const allowed: readonly (readonly [string, string, string])[] = [
        ['DELETE', '/api/v1/jobs', 'GET, HEAD, POST, OPTIONS'],
        ['POST', `/api/v1/jobs/${UNKNOWN}`, 'GET, HEAD, DELETE, PATCH, OPTIONS'],
        ['GET', `/api/v1/jobs/${UNKNOWN}/cancel`, 'POST, OPTIONS'],
        ['PATCH', `/api/v1/farms/${UNKNOWN}`, 'GET, HEAD, PUT, DELETE, OPTIONS'],
        ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
      ];
      for (const [method, path, methods] of allowed) {
        const { status, headers, body } = await api.ask(method, path);
        t.strictSame([status, headers['allow']], [405, methods], `${method} ${path}`);
        t.match(body, { title: 'Method Not Allowed', status: 405 });
        const options = await api.ask('OPTIONS', path);
        t.strictSame([options.status, options.headers['allow'], options.text], [204, methods, '']);
      }
      for (const path of ['/healthz', '/metrics', '/api/v1/farms', '/api/v1/jobs', '/api/v1/openapi.yaml']) {
        const plain = { 'accept-encoding': 'identity' };
        const head = await api.ask('HEAD', path, { headers: plain });
        const get = await api.get(path, plain);
        t.strictSame([head.status, head.text], [200, ''], path);
        t.equal(head.headers['content-type'], get.headers['content-type'], path);
        t.equal(head.headers['etag'], get.headers['etag'], path);
      }
      t.equal((await api.ask('HEAD', `/api/v1/jobs/${UNKNOWN}`)).status, 404);
    },
  ],
  [
    'CORS: an empty list of origins means *; no credentials while authentication is off',
    async (t, { api }) => {
      const { headers } = await api.get('/api/v1/farms', { origin: 'https://pipeline.example' });
      t.equal(headers['access-control-allow-origin'], '*');
      t.notOk('access-control-allow-credentials' in headers);
      for (const name of ['X-Request-ID', 'X-API-Version', 'Retry-After']) {
        t.match(headers['access-control-expose-headers'], new RegExp(`\\b${name}\\b`));
      }
      const preflight = await api.ask('OPTIONS', '/api/v1/farms', {
        headers: {
          origin: 'https://pipeline.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
      t.equal(preflight.status, 204);
      t.match(preflight.headers['access-control-allow-methods'], /\bPOST\b/);
      t.match(preflight.headers['access-control-allow-headers'], /\bContent-Type\b/);
      t.equal(preflight.headers['access-control-allow-origin'], '*');
      const notFound = await api.get('/api/v1/nothing', { origin: 'https://pipeline.example' });
      t.equal(notFound.headers['access-control-allow-origin'], '*', 'a web page can read error responses');
    },
  ],
  [
    'bodies: 415 for another content type, 413 over the limit, 400 with the JSON pointer, unknown fields are ignored',
    async (t, { api }) => {
      const post = (body: string, type: string): ReturnType<CheckedClient['ask']> =>
        api.ask('POST', '/api/v1/farms', { body, headers: { 'content-type': type } });
      for (const type of [
        'text/plain',
        'application/xml',
        'application/x-yaml',
        'application/json; charset=latin1',
      ]) {
        t.equal((await post('{"name": "x"}', type)).status, 415, type);
      }
      t.equal((await post('{"name": "typed"}', 'Application/JSON; Charset="UTF-8"')).status, 201);
      const filled = (bytes: number): string => {
        const [head, tail] = ['{"name": 1, "fill": "', '"}'];
        return `${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}`;
      };
      t.equal((await post(filled(65_536), 'application/json')).status, 400, 'a body of 64 KiB is parsed');
      for (const bytes of [65_537, 16 * MIB]) {
        const over = await post(filled(bytes), 'application/json');
        t.match(over, { status: 413, body: { title: 'Content Too Large' } }, `${bytes} bytes`);
      }
      const bulk = (text: string): ReturnType<CheckedClient['ask']> =>
        api.ask('POST', '/api/v1/jobs/bulk', { body: text, headers: { 'content-type': 'application/json' } });
      t.equal((await bulk(filled(MIB))).status, 400, 'a bulk request of 1 MiB is parsed');
      t.equal((await bulk(filled(MIB + 1))).status, 413);
      const { body } = await api.ask('POST', '/api/v1/farms', {
        body: { max_concurrent_tasks: -1, max_attempts: 0, id: 7 },
      });
      t.match(body, {
        detail: '/name: is required; /max_concurrent_tasks: must be >= 0; /max_attempts: must be >= 1',
      });
    },
  ],
];
