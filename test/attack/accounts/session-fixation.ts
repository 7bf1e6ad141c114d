import { createHash } from 'node:crypto';
import { passwordOf, sessionCookieOf, type AuthService, type Credential } from '../../kit/auth-service.ts';
import type { AttackReport } from '../attack.ts';

/** T10: a session must be new at each login, and end on the server. */

interface Victim {
  readonly id: string;
  readonly username: string;
}

/** One rule. Returns what is wrong, or null. */
type Rule = (site: AuthService, victim: Victim) => Promise<string | null>;

const ME = '/api/v1/auth/me';

const isLive = async (site: AuthService, credential: Credential): Promise<boolean> =>
  (await site.send({ path: ME }, credential)).status === 200;

/** Signs in with a cookie that an attacker has set, and returns the session cookie of the answer. */
async function signInWith(site: AuthService, { username }: Victim, cookie: string): Promise<string | null> {
  const body = { username, password: passwordOf(username) };
  const path = '/api/v1/auth/login';
  return sessionCookieOf(await site.send({ method: 'POST', path, body }, { cookie }));
}

const RULES: Readonly<Record<string, Rule>> = {
  'a preset cookie is replaced': async (site, victim) => {
    const preset = `svc_session=${'A'.repeat(43)}`;
    const set = await signInWith(site, victim, preset);
    if (set === null || set === preset) return `the answer sets ${set}`;
    return (await isLive(site, { cookie: preset })) ? 'the preset cookie is a session' : null;
  },
  'each login has its own session, and the earlier one stays': async (site, victim) => {
    const first = await site.signIn(victim.username);
    const second = await signInWith(site, victim, first['cookie'] ?? '');
    if (second === first['cookie']) return 'the same session again';
    return (await isLive(site, first)) ? null : 'the earlier session ended';
  },
  'a logout ends the session on the server': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const answer = await site.send({ method: 'POST', path: '/api/v1/auth/logout' }, session);
    const cleared = answer.headers.getSetCookie().some((each) => /^svc_session=;.*Max-Age=0/.test(each));
    if (answer.status !== 200 || !cleared) return `logout: ${answer.status}, cookie cleared: ${cleared}`;
    return (await isLive(site, session)) ? 'the session is still valid' : null;
  },
  'a password change ends the other sessions and renews that of the caller': async (site, victim) => {
    const [own, other] = [await site.signIn(victim.username), await site.signIn(victim.username)];
    const password = passwordOf(victim.username);
    const body = { current_password: password, new_password: password };
    const answer = await site.send({ method: 'PUT', path: '/api/v1/auth/password', body }, own);
    const renewed = sessionCookieOf(answer);
    if (answer.status !== 204 || renewed === null)
      return `password: ${answer.status}, new cookie: ${renewed}`;
    const live = [own, other, { cookie: renewed }].map((credential) => isLive(site, credential));
    const found = (await Promise.all(live)).join();
    return found === 'false,false,true' ? null : `live: ${found}`;
  },
  'a password that an administrator sets ends every session': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const body = { password: passwordOf(victim.username) };
    await site.send({ method: 'PUT', path: `/api/v1/users/${victim.id}/password`, body }, site.admin);
    return (await isLive(site, session)) ? 'the session is still valid' : null;
  },
  'a disabled account is refused at once, and its sessions do not come back': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const { secret } = await site.apiKey(session);
    const key = { authorization: `Bearer ${secret}` };
    const path = `/api/v1/users/${victim.id}`;
    await site.send({ method: 'PATCH', path, body: { disabled: true } }, site.admin);
    const off = [await isLive(site, session), await isLive(site, key)];
    await site.send({ method: 'PATCH', path, body: { disabled: false } }, site.admin);
    const found = [...off, await isLive(site, session), await isLive(site, key)].join();
    return found === 'false,false,false,true' ? null : `live: ${found}`;
  },
  'a token is not an API key, and a key is not a session': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const token = (session['cookie'] ?? '').slice('svc_session='.length);
    const { secret } = await site.apiKey(session);
    const found = [
      await isLive(site, { authorization: `Bearer ${token}` }),
      await isLive(site, { cookie: `svc_session=${secret}` }),
    ].join();
    return found === 'false,false' ? null : `live: ${found}`;
  },
  'the digest of a token or of a key is refused': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const token = (session['cookie'] ?? '').slice('svc_session='.length);

    const digest = createHash('sha256').update(token).digest('hex');
    return (await isLive(site, { cookie: `svc_session=${digest}` })) ? 'the digest is a session' : null;
  },
  'two different session cookies are refused': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const cookie = `${session['cookie']}; svc_session=${'B'.repeat(43)}`;
    return (await isLive(site, { cookie })) ? 'accepted' : null;
  },
  'a bad key is refused even with a live session': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const found = await isLive(site, { ...session, authorization: `Bearer svc_${'C'.repeat(43)}` });
    return found ? 'accepted' : null;
  },
  'a revoked key is refused at once': async (site, victim) => {
    const session = await site.signIn(victim.username);
    const { id, secret } = await site.apiKey(session);
    const key = { authorization: `Bearer ${secret}` };
    const before = await isLive(site, key);
    await site.send({ method: 'DELETE', path: `/api/v1/api-keys/${id}` }, session);
    const found = [before, await isLive(site, key)].join();
    return found === 'true,false' ? null : `live: ${found}`;
  },
  'deleting the account ends its sessions and keys': async (site, victim) => {
    const username = `${victim.username}-deleted`;
    const id = await site.user(username);
    const session = await site.signIn(username);
    const { secret } = await site.apiKey(session);
    await site.send({ method: 'DELETE', path: `/api/v1/users/${id}` }, site.admin);
    const found = [
      await isLive(site, session),
      await isLive(site, { authorization: `Bearer ${secret}` }),
    ].join();
    return found === 'false,false' ? null : `live: ${found}`;
  },
};

/** Number of different rules. */
export const SESSION_RULES = Object.keys(RULES).length;

/** Checks `count` rules, each again with a new account after all have been checked. */
export async function fixSessions(site: AuthService, count: number): Promise<AttackReport> {
  const violations: string[] = [];
  const rules = Object.entries(RULES);
  for (let n = 0; n < count; n++) {
    const [name, rule] = rules[n % rules.length] ?? [];
    if (name === undefined || rule === undefined) continue;
    const username = `victim-${n}`;
    const wrong = await rule(site, { id: await site.user(username), username });
    if (wrong !== null) violations.push(`${name}: ${wrong}`);
  }
  return { tried: count, violations };
}
