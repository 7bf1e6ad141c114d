import type { AttackReport } from '../attack.ts';
import type { Site } from './attempts.ts';
import { runCrossOriginReads } from './cross-origin-reads.ts';
import { runCrossSiteSockets } from './cross-site-sockets.ts';
import { runCrossSiteWrites } from './cross-site-writes.ts';

/** One attack of pages in a browser. */
export interface BrowserAttack {
  /** Row of docs/security.md#attacks. */
  readonly row: string;
  readonly title: string;
  /** Number of attempts of the full form. */
  readonly count: number;
  readonly run: (site: Site, count: number) => Promise<AttackReport>;
}

/** Attacks on a service whose rate limit is off. */
export const BROWSER_ATTACKS: readonly BrowserAttack[] = [
  { row: 'T4', title: 'changes by pages of other origins', count: 500, run: runCrossSiteWrites },
  { row: 'T5', title: 'reads by pages of other origins', count: 200, run: runCrossOriginReads },
  { row: 'T6', title: 'event channels of pages of other origins', count: 120, run: runCrossSiteSockets },
];

/** Returns the number of attempts of the short form of an attack. */
export const shortForm = (full: number): number => Math.ceil(full / 10);
