import { createHash } from 'node:crypto';
import { HttpBrowser } from '../../kit/oidc/http-browser.ts';
import { CLIENT_ID, CLIENT_SECRET, PROVIDER_PATHS } from '../../kit/oidc/provider.ts';
import type { Attack } from '../attack-table.ts';
import {
  assertRefused,
  assertSignedIn,
  CALLBACK_PATH,
  LOGIN_PATH,
  reachCallback,
  type OidcTarget,
} from './context.ts';

/** Addresses outside the pages of the service: the login leads to the start page. */
const FOREIGN_PAGES: readonly string[] = [
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/..//evil.example',
  '/%2e%2e//evil.example',
  'javascript:alert(1)',
  '/jobs\r\nLocation: https://evil.example',
  '/api/v1/auth/logout',
  '\t//evil.example',
  `/${'a'.repeat(600)}`,
];

const RETURNS: readonly Attack<OidcTarget>[] = FOREIGN_PAGES.map((returnTo) => ({
  name: `open redirect: return_to ${JSON.stringify(returnTo.slice(0, 40))}`,
  run: async (target) => {
    const { browser, callback } = await reachCallback(target, { returnTo });
    await assertSignedIn(target, browser, await browser.get(callback.href), '/');
  },
}));

/** Headers that must not change any address. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'X-Forwarded-Host': 'evil.example' },
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' },
  { Forwarded: 'host=evil.example;proto=https' },
  { Referer: 'https://evil.example/', Origin: 'https://evil.example' },
];

const LOGINS: readonly Attack<OidcTarget>[] = HEADERS.map((headers) => ({
  name: `login with ${Object.keys(headers).join(', ')}`,
  run: async ({ url, provider }) => {
    const answer = await new HttpBrowser().get(`${url}${LOGIN_PATH}`, headers);
    const authorization = new URL(answer.location ?? 'about:blank');
    if (authorization.origin !== provider.issuer) throw new Error(`sent to ${authorization.href}`);
    const back = authorization.searchParams.get('redirect_uri');
    if (back !== `${url}${CALLBACK_PATH}`) throw new Error(`the redirect address is ${String(back)}`);
  },
}));

const LOGOUTS: readonly Attack<OidcTarget>[] = [
  ...HEADERS.slice(0, 3).map((headers) => ({ query: '', headers })),
  { query: '?post_logout_redirect_uri=https://evil.example', headers: {} },
  { query: '?redirect_url=https://evil.example&return_to=//evil.example', headers: {} },
].map(({ query, headers }) => ({
  name: `logout${query} with ${Object.keys(headers).join(', ')}`,
  run: async (target) => {
    const { browser, callback } = await reachCallback(target);
    await browser.get(callback.href);
    const answer = await browser.request(`${target.url}/api/v1/auth/logout${query}`, {
      method: 'POST',
      headers: { Origin: target.url, ...headers },
    });
    if (answer.status !== 200) throw new Error(`the logout answered ${answer.status} ${answer.body}`);
    const redirect = new URL(/"redirect_url":"([^"]+)"/.exec(answer.body)?.[1] ?? 'about:blank');
    if (redirect.origin !== target.provider.issuer) throw new Error(`sent to ${redirect.href}`);
    const back = redirect.searchParams.getAll('post_logout_redirect_uri');
    if (back.join() !== `${target.url}/sign-in`) throw new Error(`returns to ${back.join()}`);
    if ((await browser.get(`${target.url}/api/v1/auth/me`)).status !== 401)
      throw new Error('the session has not ended');
  },
}));

/** Changes the request to the provider on its way: the end of the login must not pass. */
const onItsWay = (name: string, change: (authorization: URL) => void): Attack<OidcTarget> => ({
  name: `authorization request: ${name}`,
  run: async (target) => {
    const browser = new HttpBrowser();
    const reached = await reachCallback(target, { browser, change }).catch(() => null);
    // The provider may refuse the request itself.
    if (reached !== null) await assertRefused(target, browser, await browser.get(reached.callback.href));
  },
});

const REQUESTS: readonly Attack<OidcTarget>[] = [
  onItsWay('without PKCE', ({ searchParams }) => {
    searchParams.delete('code_challenge');
    searchParams.delete('code_challenge_method');
  }),
  onItsWay('PKCE of the attacker', ({ searchParams }) => {
    searchParams.set('code_challenge', createHash('sha256').update('attacker').digest('base64url'));
  }),
  onItsWay('PKCE method plain', ({ searchParams }) => {
    searchParams.set('code_challenge_method', 'plain');
  }),
  onItsWay('another nonce', ({ searchParams }) => {
    searchParams.set('nonce', 'attacker');
  }),
  onItsWay('without a nonce', ({ searchParams }) => {
    searchParams.delete('nonce');
  }),
  onItsWay('another state', ({ searchParams }) => {
    searchParams.set('state', 'A'.repeat(43));
  }),
  onItsWay('without a state', ({ searchParams }) => {
    searchParams.delete('state');
  }),
  {
    name: 'a stolen code cannot be exchanged without the verifier',
    run: async (target) => {
      const { callback, authorization } = await reachCallback(target);
      if (authorization.searchParams.get('code_challenge_method') !== 'S256') throw new Error('no PKCE S256');
      for (const verifier of [undefined, authorization.searchParams.get('code_challenge') ?? '']) {
        const body = new URLSearchParams({
          grant_type: 'authorization_code',
          code: callback.searchParams.get('code') ?? '',
          redirect_uri: `${target.url}${CALLBACK_PATH}`,
          ...(verifier === undefined ? {} : { code_verifier: verifier }),
        });
        const answer = await new HttpBrowser().request(`${target.provider.issuer}${PROVIDER_PATHS.token}`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/x-www-form-urlencoded',
            Authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,
          },
          body: body.toString(),
        });
        if (answer.status !== 400) throw new Error(`the provider answered ${answer.status}`);
      }
    },
  },
];

/** Open redirects, spoofed addresses, and changed requests to the provider. */
export const REDIRECT_ATTACKS: readonly Attack<OidcTarget>[] = [
  ...RETURNS,
  ...LOGINS,
  ...LOGOUTS,
  ...REQUESTS,
];
