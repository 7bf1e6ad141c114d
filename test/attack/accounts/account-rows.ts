import { percentile } from '../../../bench/kit/results.ts';
import { ADMIN, passwordOf, sessionCookieOf } from '../../kit/auth-service.ts';
import type { AttackReport, AttackResult, AttackRow } from '../attack.ts';
import { withAuthService } from '../with-service.ts';
import { raceForLastAdmin } from './last-admin-race.ts';
import { enumerateLogins, prepareEnumeration } from './login-enumeration.ts';
import { floodLogins } from './login-flood.ts';
import { fixSessions } from './session-fixation.ts';
import { filesBelow, findSecrets } from './stored-secrets.ts';

/** Upper bound of the 99th percentile of /healthz during a flood of logins, in milliseconds. */
const HEALTH_P99_MS = 200;

/** Attacks on accounts, sessions and keys. */
export const accountRows: readonly AttackRow[] = [
  {
    id: 'T8',
    title: 'a failed login tells whether the account exists',
    full: 8_000,
    run: (count) =>
      withAuthService(async (site) => {
        await prepareEnumeration(site);
        return enumerateLogins(site, count, true);
      }),
  },
  { id: 'T9', title: 'long passwords and many logins at a time', full: 10_000, run: flood },
  {
    id: 'T10',
    title: 'session fixation, and sessions that do not end',
    full: 60,
    run: (count) => withAuthService((site) => fixSessions(site, count)),
  },
  { id: 'T11', title: 'secrets in the data and the logs', full: 200, run: searchForSecrets },
  {
    id: 'T37',
    title: 'two administrators remove each other',
    full: 1_000,
    run: (count) => withAuthService((site) => raceForLastAdmin(site, count)),
  },
];

function flood(count: number): Promise<AttackResult> {
  return withAuthService(async (site) => {
    const { tried, violations, health, statuses, milliseconds } = await floodLogins(site, count);
    const p99 = percentile(
      [...health].sort((a, b) => a - b),
      0.99,
    );
    const slow = p99 < HEALTH_P99_MS ? [] : [`the 99th percentile of /healthz is ${p99.toFixed(0)} ms`];
    const figures = {
      'healthz p99 ms': p99.toFixed(1),
      'healthz requests': health.length,
      'logins a second': ((count / milliseconds) * 1000).toFixed(0),
      statuses: JSON.stringify(statuses),
    };
    return { tried, violations: [...violations, ...slow], figures };
  });
}

/** Uses `count` accounts with a session, a key and a new password each, and searches everything on disk afterwards. */
function searchForSecrets(count: number): Promise<AttackReport> {
  return withAuthService(async (site, folder) => {
    const secrets = new Map<string, string>([['the password of the administrator', ADMIN.password]]);
    for (let n = 0; n < count; n++) {
      const username = `user-${n}`;
      await site.user(username);
      const session = await site.signIn(username);
      const { secret } = await site.apiKey(session);
      await site.send({ path: '/api/v1/auth/me' }, { authorization: `Bearer ${secret}` });
      await site.send(
        { path: `/api/v1/unknown?key=${secret.slice(0, 12)}` },
        { authorization: `Bearer ${secret}x` },
      );
      const body = { current_password: passwordOf(username), new_password: `new password of ${username}` };
      const changed = await site.send({ method: 'PUT', path: '/api/v1/auth/password', body }, session);
      secrets.set(`password ${n}`, passwordOf(username));
      secrets.set(`new password ${n}`, body.new_password);
      secrets.set(`key ${n}`, secret);
      secrets.set(`token ${n}`, (session['cookie'] ?? '').slice('svc_session='.length));
      secrets.set(`new token ${n}`, (sessionCookieOf(changed) ?? '').slice('svc_session='.length));
    }
    await site.service.daemon.kill('SIGTERM');
    const files = filesBelow(folder).filter((file) => !file.endsWith('admin-password'));
    return findSecrets(files, secrets);
  });
}
