import type { AttackReport } from '../attack.ts';
import type { Site } from './attempts.ts';
import { runCrossOriginReads } from './cross-origin-reads.ts';
import { runCrossSiteSockets } from './cross-site-sockets.ts';
import { runCrossSiteWrites } from './cross-site-writes.ts';
import { runForgedTargets } from './forwarded-headers.ts';

/** One attack of pages in a browser and of proxies. */
export interface BrowserAttack {
  /** Row of docs/security.md#attacks. */
  readonly row: string;
  /** Number of attempts of the full form. */
  readonly count: number;
  readonly run: (site: Site, count: number) => Promise<AttackReport>;
}

/**
 * Attacks on a service whose rate limit is off. Forged addresses (T16) need a service with a limit, and exposure (T35)
 * the secrets to look for: see forwarded-headers.ts and exposure.ts.
 */
export const BROWSER_ATTACKS: readonly BrowserAttack[] = [
  { row: 'T4', count: 500, run: runCrossSiteWrites },
  { row: 'T5', count: 200, run: runCrossOriginReads },
  { row: 'T6', count: 120, run: runCrossSiteSockets },
  { row: 'T16', count: 250, run: runForgedTargets },
];

/**
 * Returns the number of attempts of an attack with `full` attempts: a tenth of them, or all if the environment variable
 * `CALLSHEET_ATTACKS` is `full`.
 */
export const attemptsOf = (full: number): number =>
  process.env['CALLSHEET_ATTACKS'] === 'full' ? full : Math.ceil(full / 10);
