import type { AuthService } from '../../kit/auth-service.ts';
import type { AttackReport } from '../attack.ts';

/** T37: two requests at the same time must not remove the last enabled administrator. */

const CHANGES = [
  { method: 'PATCH', body: { role: 'operator' } },
  { method: 'PATCH', body: { disabled: true } },
  { method: 'DELETE', body: undefined },
] as const;

/**
 * Removes both administrators at the same time `count` times, each by a different kind of change in turn. One of the two
 * requests must get 409, and one administrator must remain. The administrator of the site is disabled meanwhile.
 */
export async function raceForLastAdmin(site: AuthService, count: number): Promise<AttackReport> {
  const violations: string[] = [];
  for (let n = 0; n < count; n++) {
    const names = [`racer-${n}-a`, `racer-${n}-b`];
    const racers: Racer[] = [];
    for (const name of names) {
      const id = await site.user(name, 'admin');
      const { secret } = await site.apiKey(await site.signIn(name));
      racers.push({ id, credential: { authorization: `Bearer ${secret}` } });
    }
    const [a, b] = racers;
    if (a === undefined || b === undefined) throw new Error('there are two racers');
    const root = await rootIdOf(site);
    await setDisabled(site, root, true, a);
    const [one, other] = await Promise.all([remove(site, a, b, n), remove(site, b, a, Math.floor(n / 3))]);
    const wrong = await outcomeFault(site, racers, [one, other]);
    if (wrong !== null) violations.push(`race ${n}: ${wrong}`);
    const survivor = await firstAccepted(site, racers);
    if (survivor === null) throw new Error(`race ${n}: no administrator is left`);
    await setDisabled(site, root, false, survivor);
    await restore(site, racers);
  }
  return { tried: count, violations };
}

interface Racer {
  readonly id: string;
  readonly credential: Readonly<Record<string, string>>;
}

/** Changes or deletes `target` with the credential of `by`. Returns the status. */
async function remove(site: AuthService, by: Racer, target: Racer, n: number): Promise<number> {
  const change = CHANGES[n % CHANGES.length] ?? CHANGES[0];
  const { method, body } = change;
  const path = `/api/v1/users/${target.id}`;
  return (await site.send({ method, path, ...(body !== undefined && { body }) }, by.credential)).status;
}

/**
 * Returns what is wrong after a race, or null. One change succeeds; the other is refused because the account is the last
 * one (409), or because its sender is no longer an administrator (401, 403).
 */
async function outcomeFault(
  site: AuthService,
  racers: readonly Racer[],
  statuses: readonly number[],
): Promise<string | null> {
  const accepted = statuses.filter((status) => status < 300).length;
  const refused = statuses.filter((status) => [401, 403, 409].includes(status)).length;
  if (accepted !== 1 || refused !== 1) return `statuses ${statuses.join(' and ')}`;
  return (await firstAccepted(site, racers)) === null ? 'no administrator is left' : null;
}

/** Returns a racer who is still an administrator. */
async function firstAccepted(site: AuthService, racers: readonly Racer[]): Promise<Racer | null> {
  for (const racer of racers) {
    const { status } = await site.send({ path: '/api/v1/users' }, racer.credential);
    if (status === 200) return racer;
  }
  return null;
}

async function rootIdOf(site: AuthService): Promise<string> {
  const me = await site.send<{ subject: string }>({ path: '/api/v1/auth/me' }, site.admin);
  return me.body.subject;
}

async function setDisabled(site: AuthService, id: string, disabled: boolean, by: Racer): Promise<void> {
  const path = `/api/v1/users/${id}`;
  const answer = await site.send({ method: 'PATCH', path, body: { disabled } }, by.credential);
  if (answer.status !== 200) throw new Error(`disabled=${disabled}: ${answer.status} ${answer.text}`);
}

async function restore(site: AuthService, racers: readonly Racer[]): Promise<void> {
  for (const { id } of racers) {
    const path = `/api/v1/users/${id}`;
    await site.send({ method: 'DELETE', path }, site.admin);
  }
}
