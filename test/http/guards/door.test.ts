import { test, type Test } from 'tap';
import type { BrowserOptions } from '../../../http/front.ts';
import { isSecure } from '../../../http/guards/forwarded.ts';
import { parseNetwork } from '../../../src/core/access/ip-networks.ts';
import { runCrossOriginReads } from '../../attack/browser/cross-origin-reads.ts';
import { runCrossSiteSockets } from '../../attack/browser/cross-site-sockets.ts';
import { runCrossSiteWrites } from '../../attack/browser/cross-site-writes.ts';
import { runExposure } from '../../attack/browser/exposure.ts';
import { runForgedAddresses, runForgedTargets } from '../../attack/browser/forwarded-headers.ts';
import type { AttackReport } from '../../attack/attack.ts';
import type { Site } from '../../attack/browser/attempts.ts';
import { AUTH_OFF, NO_RATE_LIMIT, startForBrowsers } from '../kit/api-fixture.ts';

const LISTED = 'https://pipeline.example';
const PUBLIC = 'https://farm.example';
const NAMED: Partial<BrowserOptions> = { corsOrigins: [LISTED], publicUrl: PUBLIC };

const AUTH_ON = { ...AUTH_OFF, enabled: true };

const siteOf = (port: number, session: string | null = null): Site => ({
  port,
  listed: LISTED,
  publicUrl: PUBLIC,
  session,
  apiKey: null,
});

const finds = (t: Test, report: AttackReport): void => {
  t.ok(report.tried > 0);
  t.strictSame(report.violations, []);
};

void test('pages of other origins change nothing while authentication is off', async (t) => {
  const { api, client } = await startForBrowsers(t, NAMED);
  finds(t, await runCrossSiteWrites(siteOf(client.port), 120));
  t.same(api.asked, []);
  finds(t, await runCrossSiteSockets(siteOf(client.port), 60));
});

void test('pages of other origins change nothing with the session cookie', async (t) => {
  const { api, client } = await startForBrowsers(t, NAMED, {}, AUTH_ON);
  finds(t, await runCrossSiteWrites(siteOf(client.port, 'svc_session=x'), 120));
  t.same(api.asked, []);
  const own = `http://localhost:${client.port}`;
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (
      await client.send('POST', '/api/v1/farms', {
        headers: { host: `localhost:${client.port}`, ...headers },
      })
    ).status;
  t.not(
    await statusOf({ origin: 'https://evil.example' }),
    403,
    'a request without the cookie is not checked',
  );
  t.not(await statusOf({ cookie: 'other=svc_session; my_svc_session=x' }), 403);
  for (const cookie of ['svc_session=', 'svc_session', 'a=b;svc_session=x', ' svc_session =x']) {
    t.equal(await statusOf({ cookie }), 403, cookie);
    t.equal(await statusOf({ cookie, origin: 'https://evil.example' }), 403, cookie);
    t.not(await statusOf({ cookie, origin: own }), 403, cookie);
    t.not(await statusOf({ cookie, referer: `${own}/` }), 403, cookie);
  }
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    const headers = { cookie: 'svc_session=x', origin: 'https://evil.example' };
    t.not((await client.send(method, '/api/v1/farms', { headers })).status, 403, method);
  }
});

void test('only the listed origin may read, with credentials only while authentication is on', async (t) => {
  const off = await startForBrowsers(t, NAMED);
  finds(t, await runCrossOriginReads(siteOf(off.client.port), 100));
  const on = await startForBrowsers(t, NAMED, {}, AUTH_ON);
  finds(t, await runCrossOriginReads(siteOf(on.client.port, 'svc_session=x'), 100));
});

void test('the wildcard: an empty list allows reads, * also changes, and authentication turns it off', async (t) => {
  const asked = async (corsOrigins: readonly string[], auth = AUTH_OFF): Promise<unknown> => {
    const { api, client } = await startForBrowsers(t, { corsOrigins }, {}, auth);
    const headers = { origin: 'https://any.example', 'content-type': 'application/json' };
    const read = await client.get('/api/v1/farms', headers);
    const write = await client.send('POST', '/api/v1/farms', { headers, body: '{}' });
    const cookie = { ...headers, cookie: 'svc_session=x' };
    const asUser = await client.send('POST', '/api/v1/farms', { headers: cookie, body: '{}' });
    return {
      allowed: read.headers['access-control-allow-origin'],
      credentials: read.headers['access-control-allow-credentials'],
      statuses: [write.status, asUser.status],
      errors: api.logged.filter(({ level }) => level === 'error').map(({ text }) => text),
    };
  };
  const none = { allowed: undefined, credentials: undefined, errors: [] };
  t.same(await asked([]), { ...none, allowed: '*', statuses: [403, 403] });
  t.same(await asked(['*']), { ...none, allowed: '*', statuses: [400, 400] });
  t.same(await asked(['*'], AUTH_ON), {
    ...none,
    statuses: [401, 403],
    errors: ['http.cors_origins: * has no effect while authentication is on; list the origins'],
  });
  t.same(await asked([], AUTH_ON), { ...none, statuses: [401, 403] });
});

void test('another host gets 421, except at the probes', async (t) => {
  const { api, client } = await startForBrowsers(t, { allowedHosts: ['farm.studio'], publicUrl: PUBLIC });
  const statusOf = async (host: string, path: string): Promise<number> =>
    (await client.get(path, { host, 'content-type': 'application/json' })).status;
  for (const path of ['/api/v1/farms', '/metrics', '/', '/jobs', '/debug/pprof/', '/api/v1/openapi.yaml'])
    t.equal(await statusOf('evil.example', path), 421, path);
  for (const path of ['/healthz', '/readyz']) t.equal(await statusOf('evil.example', path), 200, path);
  for (const host of ['a', '192.0.2.10', '[2001:db8::10]:80', 'farm.studio:1', 'farm.example', 'localhost'])
    t.equal(await statusOf(host, '/api/v1/farms'), 200, host);
  const refused = await client.send('POST', '/api/v1/farms', {
    headers: { host: 'evil.example' },
    body: '{}',
  });
  t.match(refused.body, {
    title: 'Misdirected Request',
    status: 421,
    detail:
      'the service does not answer to the host "evil.example"; if it should, add the host to http.allowed_hosts',
  });
  t.same(api.asked, []);
  t.equal(
    (await client.raw('GET /api/v1/farms HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')).split(' ')[1],
    '421',
  );
});

void test('forged headers of a proxy have no effect', async (t) => {
  const { client } = await startForBrowsers(t, NAMED);
  finds(t, await runForgedTargets(siteOf(client.port), 70));
  const limited = await startForBrowsers(t, NAMED, {
    rateLimit: { limit: { rps: 1, burst: 3 }, trustProxy: false },
  });
  finds(t, await runForgedAddresses(siteOf(limited.client.port), 60, { rps: 1, burst: 3 }));
});

void test('scheme and host of a trusted proxy make the own origin', async (t) => {
  const proxies = ['127.0.0.0/8'].flatMap((text) => parseNetwork(text) ?? []);
  const strangers = ['192.0.2.0/24'].flatMap((text) => parseNetwork(text) ?? []);
  const statusBy = async (
    trustProxy: true | typeof proxies,
    headers: Record<string, string>,
  ): Promise<number> => {
    const { client } = await startForBrowsers(
      t,
      { allowedHosts: ['farm.studio'] },
      { rateLimit: { ...NO_RATE_LIMIT, trustProxy } },
    );
    const all = { host: 'localhost:1', 'content-type': 'application/json', ...headers };
    return (await client.send('POST', '/api/v1/farms', { headers: all, body: '{}' })).status;
  };
  const page = { origin: 'https://farm.studio' };
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'farm.studio' };
  t.equal(
    await statusBy(proxies, { ...page, ...forwarded }),
    400,
    'the body is invalid: the origin was accepted',
  );
  t.equal(await statusBy(true, { ...page, ...forwarded }), 400);
  t.equal(await statusBy(strangers, { ...page, ...forwarded }), 403, 'the peer is not in the list');
  t.equal(await statusBy(proxies, { ...page, ...forwarded, 'x-forwarded-proto': 'http' }), 403);
  t.equal(await statusBy(proxies, { ...page, ...forwarded, 'x-forwarded-proto': 'https, http' }), 403);
  t.equal(await statusBy(proxies, { ...page, ...forwarded, 'x-forwarded-proto': 'http, HTTPS' }), 400);
  t.equal(await statusBy(proxies, { ...forwarded, origin: 'https://localhost:1' }), 403);
  t.equal(await statusBy(proxies, { ...page, host: 'farm.studio', 'x-forwarded-proto': 'https' }), 400);
  t.equal(await statusBy(proxies, { ...page, ...forwarded, 'x-forwarded-host': 'evil.example' }), 421);
  t.equal(
    await statusBy(proxies, { ...page, ...forwarded, host: 'evil.example' }),
    421,
    'both hosts must be known',
  );
  t.equal(await statusBy(proxies, { origin: 'http://localhost:1', 'x-forwarded-host': '' }), 400);
});

void test('a request counts as secure by X-Forwarded-Proto', async (t) => {
  const secure = (...values: string[]): boolean =>
    isSecure({ headers: values.map((value) => ['x-forwarded-proto', value] as const) });
  for (const values of [['https'], ['HTTPS'], ['https, http'], ['http', 'https']])
    t.equal(secure(...values), true);
  for (const values of [[], ['http'], [''], ['httpsx'], ['wss']]) t.equal(secure(...values), false);
});

void test('without http.enable_pprof no profile is served, and public pages show no ids', async (t) => {
  const { client } = await startForBrowsers(t, NAMED);
  finds(t, await runExposure(siteOf(client.port), 20, ['hunter2']));
});
