import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import tap, { test } from 'tap';
import { launchBrowser } from '../../bench/kit/browser.ts';
import { browserLogin } from '../../cli/commands/browser-login.ts';
import { runOidcAttacks } from '../attack/oidc/oidc-attacks.ts';
import { assertRefused, CALLBACK_PATH, LOGIN_PATH, reachCallback } from '../attack/oidc/context.ts';
import { HttpBrowser, type BrowserAnswer } from '../kit/oidc/http-browser.ts';
import { CLIENT_SECRET, PROVIDER_PATHS } from '../kit/oidc/provider.ts';
import { violations } from '../kit/browser/browser.ts';
import { until } from '../kit/until.ts';
import { ADMIN, startOidcFarm } from '../kit/oidc/target.ts';

tap.setTimeout(300_000);

const farm = await startOidcFarm();
const { url, provider, service } = farm;
const browser = await launchBrowser();
tap.teardown(async () => {
  await browser.close();
  if (!tap.passing()) tap.comment(service.daemon.log().slice(-4000));
  await farm.close(!tap.passing());
});

const target = { url, provider };

/** Signs an account in; returns its browser. */
async function signedIn(account: string): Promise<HttpBrowser> {
  provider.account = account;
  const { browser: client, callback } = await reachCallback(target);
  await client.get(callback.href);
  provider.account = 'id-alice';
  return client;
}

/** Signs the local administrator in. */
const localLogin = (client: HttpBrowser): Promise<BrowserAnswer> =>
  client.request(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url },
    body: JSON.stringify(ADMIN),
  });

const me = async (client: HttpBrowser): Promise<unknown> =>
  JSON.parse((await client.get(`${url}/api/v1/auth/me`)).body);

await test('the service starts without a request to the provider, and offers it', async (t) => {
  t.same(provider.requests, []);
  const providers = await new HttpBrowser().get(`${url}/api/v1/auth/providers`);
  t.match(JSON.parse(providers.body), { oidc: true, auth_enabled: true });
});

await test('a login creates an account with the highest mapped role, and finds it again by issuer and subject', async (t) => {
  t.match(await me(await signedIn('id-olga')), {
    username: 'olga',
    display_name: 'Olga',
    roles: ['operator'],
    kind: 'session',
  });
  provider.change(PROVIDER_PATHS.userInfo, (body) => ({ body: { ...body, preferred_username: 'renamed' } }));
  t.match(await me(await signedIn('id-olga')), { username: 'olga' });
  provider.restore();
});

await test('a user without a role, and one with the name of a local account, are refused with a code', async (t) => {
  for (const [account, error] of [
    ['id-guest', 'no-role'],
    ['id-admin', 'refused'],
  ] as const) {
    provider.account = account;
    const { browser: client, callback } = await reachCallback(target);
    const answer = await client.get(callback.href);
    t.equal(answer.location, `${url}/sign-in?error=${error}`);
    await assertRefused(target, client, answer);
  }
  provider.account = 'id-alice';
});

await test('a refusal of the user leads to the sign-in page', async (t) => {
  const { browser: client, callback } = await reachCallback(target);
  callback.searchParams.delete('code');
  callback.searchParams.set('error', 'access_denied');
  t.equal((await client.get(callback.href)).location, `${url}/sign-in?error=declined`);
});

await test('six logins of one browser can be finished, and a seventh ends the first', async (t) => {
  const client = new HttpBrowser();
  const callbacks: string[] = [];
  for (let at = 0; at < 7; at++)
    callbacks.push(
      (await reachCallback(target, { browser: client, returnTo: `/jobs?tab=${at}` })).callback.href,
    );
  const locations: unknown[] = [];
  for (const callback of callbacks) locations.push((await client.get(callback)).location);
  t.same(locations, [
    `${url}/sign-in?error=expired`,
    ...[1, 2, 3, 4, 5, 6].map((at) => `${url}/jobs?tab=${at}`),
  ]);
});

await test('the cookie of a login is sent to its routes only, and is removed at its end', async (t) => {
  const client = new HttpBrowser();
  const begun = await client.get(`${url}${LOGIN_PATH}`);
  t.match(begun.cookies, [
    /^svc_oidc_[\w-]{22}=[\w-]+\.[\w-]+\.[\w-]+; Path=\/api\/v1\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
  ]);
  const callback = await client.follow(begun.location ?? '', `${url}${CALLBACK_PATH}`);
  const end = await client.get(callback);
  t.equal(end.status, 303);
  t.equal(end.cookies.filter((line) => /^svc_oidc_.*Max-Age=0;/.test(line)).length, 1);
  t.match(
    end.cookies.find((line) => line.startsWith('svc_session=')),
    /HttpOnly; SameSite=Lax$/,
  );
  t.equal(end.headers.get('cache-control'), 'no-store');
  t.equal(end.headers.get('referrer-policy'), 'no-referrer');
});

await test('a logout names the address at the provider, but not for a local account', async (t) => {
  const client = await signedIn('id-alice');
  const headers = { Origin: url };
  const answer = await client.request(`${url}/api/v1/auth/logout`, { method: 'POST', headers });
  t.match(JSON.parse(answer.body), { redirect_url: new RegExp(`^${provider.issuer}/session/end\\?`) });
  const local = new HttpBrowser();
  const login = await localLogin(local);
  t.equal(login.status, 200, login.body);
  const out = await local.request(`${url}/api/v1/auth/logout`, { method: 'POST', headers });
  t.same(JSON.parse(out.body), {});
});

/** Opens a login in a page and waits for the page of the service. */
async function openLogin(page: Page, returnTo: string): Promise<void> {
  await page.goto(`${url}${LOGIN_PATH}?return_to=${encodeURIComponent(returnTo)}`);
  await page.waitForURL(`${url}${returnTo}`);
}

await test('Chromium signs in by the provider in several tabs, and signs out there, too', async (t) => {
  const context = await browser.newContext();
  const tabs = await Promise.all([1, 2, 3].map(() => context.newPage()));
  const [tab] = tabs;
  if (tab === undefined) throw new Error('no tab');
  // The first login creates the session at the provider, which the others share.
  await openLogin(tab, '/jobs');
  await context.clearCookies({ name: 'svc_session' });
  await Promise.all(tabs.map((each, at) => openLogin(each, `/jobs?tab=${at}`)));
  const cookies = await context.cookies(`${url}${CALLBACK_PATH}`);
  t.same(
    cookies.filter(({ name }) => name.startsWith('svc_oidc_')),
    [],
    'no cookie of a login remains',
  );
  const session = cookies.find(({ name }) => name === 'svc_session');
  t.match(session, { httpOnly: true, sameSite: 'Lax', path: '/' });
  const redirect = await tab.evaluate(async () => {
    const answer = await fetch('/api/v1/auth/logout', { method: 'POST' });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'redirect_url' in body
      ? String(body.redirect_url)
      : '';
  });
  await tab.goto(redirect);
  await Promise.all([tab.waitForURL(`${url}/sign-in`), tab.click('button[type=submit]')]);
  t.equal((await tab.request.get(`${url}/api/v1/auth/me`)).status(), 401);
  await context.close();
});

await test('callsheet login gets a key after the user has confirmed in Chromium', async (t) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const printed: string[] = [];
  let found: readonly unknown[] = ['the page was not checked'];
  const key = await browserLogin(url, {
    print: (line) => printed.push(line),
    open: async (address) => {
      const { pathname, search } = new URL(address);
      void openLogin(page, `${pathname}${search}`).then(async () => {
        const allow = page.getByRole('button', { name: 'Allow command' });
        await allow.waitFor();
        found = await violations(page);
        await allow.click();
      });
      return true;
    },
  });
  await page.getByText('The command is signed in').waitFor();
  t.same(found, [], 'no axe violations');
  t.match(key, { name: /^callsheet login on /, secret: /^svc_[\w-]{43}$/ });
  const answer = await new HttpBrowser().get(`${url}/api/v1/auth/me`, {
    Authorization: `Bearer ${key.secret}`,
  });
  t.match(JSON.parse(answer.body), { username: 'alice', kind: 'api_key' });
  t.notOk(printed.join().includes(key.secret));
  await context.close();
});

await test('callsheet login ends when the user declines', async (t) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const refused = browserLogin(url, {
    print: () => undefined,
    open: async (address) => {
      const { pathname, search } = new URL(address);
      void openLogin(page, `${pathname}${search}`).then(() =>
        page.getByRole('button', { name: 'Decline' }).click(),
      );
      return true;
    },
  });
  await t.rejects(refused, { message: 'you declined the sign-in in the browser', exitCode: 3 });
  await context.close();
});

await test('a code of a command needs a session, and cannot be exchanged with a wrong verifier', async (t) => {
  const client = await signedIn('id-alice');
  const post = async (path: string, body: object, sender = client) =>
    await sender.request(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: JSON.stringify(body),
    });
  const challenge = 'A'.repeat(43);
  t.equal((await post('command-grants', { challenge, host: 'desk' }, new HttpBrowser())).status, 401);
  for (const host of ['', 'a b', '<b>', 'x'.repeat(65), 7])
    t.equal((await post('command-grants', { challenge, host })).status, 400, JSON.stringify(host));
  t.equal((await post('command-grants', { challenge: 'short', host: 'desk' })).status, 400);
  const granted: unknown = JSON.parse((await post('command-grants', { challenge, host: 'desk' })).body);
  t.match(granted, { code: /^[\w-]{43}$/, expires_in: 120 });
  const code = typeof granted === 'object' && granted !== null && 'code' in granted ? granted.code : '';
  const stranger = new HttpBrowser();
  t.equal((await post('command-token', { code, verifier: 'B'.repeat(43) }, stranger)).status, 401);
  t.equal(
    (await post('command-token', { code: 'C'.repeat(43), verifier: 'B'.repeat(43) }, stranger)).status,
    401,
  );
});

await test('T15: bad logins by the provider are refused', async (t) => {
  const report = await runOidcAttacks(target, 45);
  t.same(report.violations, []);
  t.equal(report.tried, 45);
});

await test('while the provider fails, its logins lead to the sign-in page and local ones work', async (t) => {
  const { browser: client, callback } = await reachCallback(target);
  provider.change(PROVIDER_PATHS.token, () => ({ status: 503, body: {} }));
  const failed = await client.get(callback.href);
  const local = await localLogin(new HttpBrowser());
  provider.restore();
  t.equal(failed.location, `${url}/sign-in?error=invalid`);
  t.equal(local.status, 200, local.body);
});

await test('logins by the provider are in the audit log, refused ones too', async (t) => {
  const local = new HttpBrowser();
  await localLogin(local);
  const entries = async (outcome: string): Promise<readonly Record<string, unknown>[]> => {
    const answer = await local.get(`${url}/api/v1/audit?path=${CALLBACK_PATH}&outcome=${outcome}`);
    return (JSON.parse(answer.body) as { items: Record<string, unknown>[] }).items;
  };
  t.ok((await entries('changed')).some(({ actor, status }) => actor === 'olga' && status === 303));
  const isRefused = ({ actor, status }: Record<string, unknown>): boolean => actor === '' && status === 303;
  await until('a refused login is recorded', async () => (await entries('denied')).some(isRefused));
});

await test('no log has a secret of a login', async (t) => {
  const log = service.daemon.log();
  t.notOk(log.includes(CLIENT_SECRET));
  t.notMatch(log, /eyJ[\w-]{10,}\./, 'no token');
  t.notMatch(log, /svc_[\w-]{43}/, 'no key');
  t.match(log, /a login by the provider failed/);
  const state = join(service.folder, 'data', 'state');
  for (const name of readdirSync(state)) {
    const bytes = readFileSync(join(state, name)).toString('latin1');
    t.notMatch(bytes, /eyJ[\w-]{10,}\.[\w-]{10,}\./, `no token in ${name}`);
  }
});
