import { createHmac } from 'node:crypto';
import { HttpBrowser } from '../../kit/oidc/http-browser.ts';
import { readClaims, signToken } from '../../kit/oidc/signed-token.ts';
import type { Attack } from '../attack-table.ts';
import {
  assertRefused,
  LOGIN_COOKIE,
  reachCallback,
  type OidcTarget,
  type ReachedCallback,
} from './context.ts';

/** Changes the address of the callback, or the cookies of the browser, before the browser follows it. */
type Change = (reached: ReachedCallback, target: OidcTarget) => Promise<void> | void;

const attack = (name: string, change: Change): Attack<OidcTarget> => ({
  name,
  run: async (target) => {
    const reached = await reachCallback(target);
    await change(reached, target);
    await assertRefused(target, reached.browser, await reached.browser.get(reached.callback.href));
  },
});

/** Sets a parameter of the callback; null removes it. */
const parameter = (
  name: string,
  value: (given: string) => string | null,
  title: string,
): Attack<OidcTarget> =>
  attack(`callback: ${name} ${title}`, ({ callback }) => {
    const changed = value(callback.searchParams.get(name) ?? '');
    if (changed === null) callback.searchParams.delete(name);
    else callback.searchParams.set(name, changed);
  });

/** Changes one character of a text. */
const altered = (text: string): string => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;

const PARAMETERS: readonly Attack<OidcTarget>[] = [
  parameter('state', () => null, 'missing'),
  parameter('state', () => '', 'empty'),
  parameter('state', altered, 'altered'),
  parameter('state', (state) => state.slice(0, -1), 'truncated'),
  parameter('state', (state) => `${state}x`, 'extended'),
  parameter('state', (state) => `${state}\u0000`, 'with NUL'),
  parameter('state', (state) => `${state.slice(0, 22)}${'A'.repeat(21)}`, 'with the same cookie name'),
  parameter('state', (state) => state.toUpperCase(), 'in upper case'),
  parameter('state', () => 'x'.repeat(2_000), 'of 2,000 characters'),
  parameter('code', () => null, 'missing'),
  parameter('code', () => '', 'empty'),
  parameter('code', altered, 'altered'),
  parameter('code', (code) => code.slice(0, 20), 'truncated'),
  parameter('code', () => 'x'.repeat(3_000), 'of 3,000 characters'),
  parameter('code', () => "' or 1=1 --", 'with SQL'),
  parameter('iss', () => null, 'stripped'),
  parameter('iss', () => '', 'empty'),
  parameter('iss', () => 'https://evil.example', 'of another provider (mix-up)'),
  parameter('iss', (iss) => `${iss}/`, 'with a slash'),
  parameter('iss', (iss) => iss.replace('127.0.0.1', 'localhost'), 'with another name of the host'),
  parameter('iss', (iss) => `${iss}.evil.example`, 'with a suffix'),
  parameter('error', () => 'access_denied', 'with a code'),
  parameter('error', () => '<script>alert(1)</script>', 'with markup'),
  parameter('error', () => '\r\nSet-Cookie: svc_session=x', 'with a header'),
];

const DUPLICATES: readonly Attack<OidcTarget>[] = ['code', 'state', 'iss', 'error'].flatMap((name) => [
  attack(`callback: ${name} twice, equal`, ({ callback }) => {
    const value = callback.searchParams.get(name) ?? 'x';
    callback.searchParams.set(name, value);
    callback.searchParams.append(name, value);
  }),
  attack(`callback: ${name} twice, different`, ({ callback }) => {
    callback.searchParams.append(name, callback.searchParams.get(name) ?? 'x');
    callback.searchParams.append(name, 'other');
  }),
]);

const CSRF: readonly Attack<OidcTarget>[] = [
  {
    name: "login CSRF: another browser opens the attacker's callback",
    run: async (target) => {
      const { callback } = await reachCallback(target);
      const victim = new HttpBrowser();
      await assertRefused(target, victim, await victim.get(callback.href));
    },
  },
  {
    name: 'login CSRF: the victim has begun a login, too',
    run: async (target) => {
      const { callback } = await reachCallback(target);
      const victim = (await reachCallback(target)).browser;
      await assertRefused(target, victim, await victim.get(callback.href));
    },
  },
  {
    name: "code injection: the attacker's code in the login of the victim",
    run: async (target) => {
      const attacker = await reachCallback(target);
      const victim = await reachCallback(target);
      victim.callback.searchParams.set('code', attacker.callback.searchParams.get('code') ?? '');
      await assertRefused(target, victim.browser, await victim.browser.get(victim.callback.href));
    },
  },
  {
    name: 'code injection between two logins of one browser',
    run: async (target) => {
      const first = await reachCallback(target);
      const second = await reachCallback(target, { browser: first.browser });
      second.callback.searchParams.set('code', first.callback.searchParams.get('code') ?? '');
      await assertRefused(target, first.browser, await first.browser.get(second.callback.href));
    },
  },
  ...['POST', 'PUT', 'DELETE'].map((method): Attack<OidcTarget> => ({
    name: `callback by ${method}`,
    run: async (target) => {
      const { browser, callback } = await reachCallback(target);
      await assertRefused(target, browser, await browser.request(callback.href, { method }));
    },
  })),
];

/** Replays after a login that succeeded, in the same browser and with its cookies restored. */
const REPLAYS: readonly Attack<OidcTarget>[] = [true, false].map((isRestored) => ({
  name: `replay of the callback${isRestored ? ' with the cookie restored' : ''}`,
  run: async (target) => {
    const { browser, callback } = await reachCallback(target);
    const jar = browser.jar(target.url);
    const before = new Map(jar);
    const first = await browser.get(callback.href);
    if (first.location !== `${target.url}/jobs`)
      throw new Error(`the login failed: ${String(first.location)}`);
    jar.clear();
    if (isRestored) for (const [name, value] of before) jar.set(name, value);
    await assertRefused(target, browser, await browser.get(callback.href));
  },
}));

/** Replaces the token in the cookie of the login. */
const cookie = (title: string, replace: (token: string, target: OidcTarget) => string): Attack<OidcTarget> =>
  attack(`cookie: ${title}`, ({ browser }, target) => {
    const jar = browser.jar(target.url);
    for (const [name, value] of jar) if (name.startsWith(LOGIN_COOKIE)) jar.set(name, replace(value, target));
  });

const forged = (token: string, secret: string, changes: object = {}): string =>
  signToken({ header: { alg: 'HS256', typ: 'JWT' }, key: { secret } }, { ...readClaims(token), ...changes });

const COOKIES: readonly Attack<OidcTarget>[] = [
  cookie('removed value', () => ''),
  cookie('algorithm none', (token) =>
    signToken({ header: { alg: 'none', typ: 'JWT' }, key: null }, readClaims(token)),
  ),
  cookie('signed with an empty key', (token) => forged(token, '')),
  cookie('signed with a guessed key', (token) => forged(token, 'secret')),
  cookie('signed with the key of the provider', (token, { provider }) =>
    signToken(
      { header: { alg: 'RS256', kid: provider.key.id, typ: 'JWT' }, key: provider.key.privateKey },
      readClaims(token),
    ),
  ),
  cookie('another return address with the old signature', (token) => {
    const [header, , signature] = token.split('.');
    const claims = { ...readClaims(token), to: '//evil.example' };
    return `${header ?? ''}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature ?? ''}`;
  }),
  cookie('cut', (token) => token.slice(0, -5)),
  cookie('without a signature', (token) => token.slice(0, token.lastIndexOf('.') + 1)),
  cookie('a signature of another length', (token) => {
    const input = token.slice(0, token.lastIndexOf('.'));
    return `${input}.${createHmac('sha512', '').update(input).digest('base64url')}`;
  }),
  cookie('garbage', () => 'x'.repeat(500)),
  attack('cookie: renamed to another state', ({ browser, callback }, target) => {
    const jar = browser.jar(target.url);
    const state = altered(callback.searchParams.get('state') ?? '');
    callback.searchParams.set('state', state);
    for (const [name, value] of [...jar])
      if (name.startsWith(LOGIN_COOKIE)) jar.set(`${LOGIN_COOKIE}${state.slice(0, 22)}`, value);
  }),
  {
    name: 'cookie: the token of another login of the browser',
    run: async (target) => {
      const first = await reachCallback(target);
      const jar = first.browser.jar(target.url);
      const [token = ''] = [...jar]
        .filter(([name]) => name.startsWith(LOGIN_COOKIE))
        .map(([, value]) => value);
      const second = await reachCallback(target, { browser: first.browser });
      for (const name of [...jar.keys()]) if (name.startsWith(LOGIN_COOKIE)) jar.set(name, token);
      await assertRefused(target, first.browser, await first.browser.get(second.callback.href));
    },
  },
];

/** Bad ends of logins: parameters, cookies, replays and other browsers. */
export const CALLBACK_ATTACKS: readonly Attack<OidcTarget>[] = [
  ...PARAMETERS,
  ...DUPLICATES,
  ...CSRF,
  ...REPLAYS,
  ...COOKIES,
];
