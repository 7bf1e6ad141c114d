import type { AuthService } from '../../kit/auth-service.ts';
import type { AttackReport } from '../attack.ts';

/** T9: long passwords and many logins at a time must not slow down the service. */

const PARALLEL = 40;
const MEGABYTE = 1024 * 1024;
/** Length of a password in the largest body that a login may have. */
const LONG = 60_000;

export interface FloodReport extends AttackReport {
  /** Milliseconds of each request to /healthz during the flood. */
  readonly health: readonly number[];
  /** Milliseconds of the whole flood. */
  readonly milliseconds: number;
  /** Logins by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/**
 * Sends `count` logins, 40 at a time, with passwords of 1 MB and of 60 kB in turn, and asks for the health of the service
 * meanwhile. A login of 1 MB must be refused by its size (413), the others as wrong (401) or because too many wait (503).
 */
export async function floodLogins(site: AuthService, count: number): Promise<FloodReport> {
  const violations: string[] = [];
  const statuses: Record<number, number> = {};
  const health: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  let isOver = false;
  const sendNext = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      const isHuge = n % 2 === 0;
      const password = 'x'.repeat(isHuge ? MEGABYTE : LONG);
      const status = await loginStatus(site, { username: `user-${n % 7}`, password });
      statuses[status] = (statuses[status] ?? 0) + 1;
      const isRight = isHuge ? status === 413 || status === 0 : status === 401 || status === 503;
      if (!isRight) violations.push(`login with ${password.length} characters: ${status}`);
    }
  };
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const askedAt = performance.now();
      const { status } = await site.send({ path: '/healthz' });
      health.push(performance.now() - askedAt);
      if (status !== 200) violations.push(`/healthz: ${status}`);
    }
  };
  const watching = watch();
  await Promise.all(Array.from({ length: PARALLEL }, sendNext));
  isOver = true;
  await watching;
  return { tried: count, violations, health, statuses, milliseconds: performance.now() - startedAt };
}

/** Returns the status of a login; 0 if the service closed the connection while the body was being sent. */
async function loginStatus(site: AuthService, body: object): Promise<number> {
  try {
    return (await site.send({ method: 'POST', path: '/api/v1/auth/login', body })).status;
  } catch (error) {
    if (error instanceof TypeError) return 0;
    throw error;
  }
}
