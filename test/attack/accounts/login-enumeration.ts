import type { AuthService } from '../../kit/auth-service.ts';
import type { AttackReport } from '../attack.ts';
import { isSameDistribution, medianOf } from './rank-test.ts';

/** T8: a failed login must not tell whether an account exists. */

interface Kind {
  readonly name: string;
  readonly username: (n: number) => string;
  readonly password: string;
}

const WRONG = 'not the password';

/** Reasons for which a login fails. The accounts are made by `prepareEnumeration`. */
const KINDS: readonly Kind[] = [
  { name: 'unknown', username: (n) => `unknown-${n}`, password: WRONG },
  { name: 'wrong password', username: () => 'enumerated', password: WRONG },
  { name: 'disabled', username: () => 'switched-off', password: 'password of switched-off' },
  { name: 'invalid name', username: (n) => ` ${n}\u0000`, password: WRONG },
];

/** Creates the accounts of the attack. */
export async function prepareEnumeration(site: AuthService): Promise<void> {
  await site.user('enumerated');
  const id = await site.user('switched-off');
  const body = { disabled: true };
  await site.send({ method: 'PATCH', path: `/api/v1/users/${id}`, body }, site.admin);
}

/**
 * Fails `count` logins, of each kind in turn. Every answer must be the same but for its request id. With `isTimed`, the
 * times of any two kinds must also have the same distribution (Mann-Whitney, p > 0.01) or medians that differ by less than 5 %.
 */
export async function enumerateLogins(
  site: AuthService,
  count: number,
  isTimed: boolean,
): Promise<AttackReport> {
  const violations: string[] = [];
  const times = KINDS.map((): number[] => []);
  let expected: string | null = null;
  for (let n = 0; n < count; n++) {
    const at = n % KINDS.length;
    const kind = KINDS[at];
    if (kind === undefined) continue;
    const body = { username: kind.username(n), password: kind.password };
    const startedAt = performance.now();
    const answer = await site.send({ method: 'POST', path: '/api/v1/auth/login', body });
    times[at]?.push(performance.now() - startedAt);
    const seen = `${answer.status} ${JSON.stringify({ ...answer.body, instance: '' })} ${headersOf(answer.headers)}`;
    expected ??= seen;
    if (seen !== expected) violations.push(`${kind.name}: ${seen} instead of ${expected}`);
  }
  if (isTimed) violations.push(...differences(times));
  return { tried: count, violations };
}

/** Names of the headers, and values of those that a client could learn from. */
const headersOf = (headers: Headers): string =>
  [...headers]
    .filter(([name]) => name !== 'date' && name !== 'x-request-id')
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

const MEDIAN_SHARE = 0.05;

function differences(times: readonly (readonly number[])[]): readonly string[] {
  const found: string[] = [];
  for (const [a, left] of times.entries()) {
    for (const [b, right] of times.entries()) {
      if (a >= b || isSameDistribution(left, right)) continue;
      const [one, other] = [medianOf(left), medianOf(right)];
      if (Math.abs(one - other) / Math.min(one, other) < MEDIAN_SHARE) continue;
      found.push(`${KINDS[a]?.name} takes ${one.toFixed(2)} ms, ${KINDS[b]?.name} ${other.toFixed(2)} ms`);
    }
  }
  return found;
}
