import type { AttemptId, JobId, WorkerId } from '../ids.ts';

/**
 * Outages that many jobs share (docs/outages.md): they fail with one message on several workers within a short time. The
 * usage pool or compute location that they share is held, and their failures do not count.
 *
 * States of an outage: held (until `until`), then probing (one task is tried), then held again or ended. It ends if the
 * probe succeeds or runs long enough, or at the request of a user. Ended outages are kept for the failures of attempts
 * that had started before.
 */

/** Setting of a farm: how many failures with one message are an outage. */
export interface OutageSetting {
  readonly isOn: boolean;
  /** Distinct jobs and workers, at least this many of each. */
  readonly jobs: number;
  readonly workers: number;
  readonly windowSeconds: number;
  /** The first hold. It doubles with each probe that fails. */
  readonly holdSeconds: number;
  /** From 1; rises with each change of the other fields. Outages name it. */
  readonly version: number;
}

export const OUTAGE_DEFAULTS = { jobs: 2, workers: 3, windowSeconds: 120, holdSeconds: 60 } as const;

/** The place that the tasks of an outage share. The name of a pool is in lower case; that of a location may be empty. */
export interface OutagePlace {
  readonly kind: 'usage pool' | 'compute location';
  readonly name: string;
}

/** The task that is tried after a hold. */
export interface OutageProbe {
  readonly attemptId: AttemptId;
  readonly jobId: JobId;
  /** When it has run long enough to have passed, in milliseconds since the epoch. */
  readonly passesAt: number;
}

export interface Outage extends OutagePlace {
  /** Time of its first failure. */
  readonly firstAt: number;
  /** Start and end of the latest hold. */
  readonly since: number;
  readonly until: number;
  /** Number of holds in a row, from 1. */
  readonly times: number;
  /** Messages without numbers, paths and ids, and one of them as reported. Their number is limited. */
  readonly keys: readonly string[];
  readonly message: string;
  /** Failures that belong to it, with the number of jobs and workers of those by which it was found. */
  readonly failures: number;
  readonly jobs: number;
  readonly workers: number;
  /** The longest run of an attempt that has failed. */
  readonly longestMs: number;
  /** Null: none is running. */
  readonly probe: OutageProbe | null;
  /** Jobs whose probes have failed. Others are tried first. Their number is limited. */
  readonly probed: readonly JobId[];
  readonly policyVersion: number;
  /** Absent while the outage lasts. */
  readonly endedAt?: number;
}

/** An attempt that has ended lately. `key`: that of its message, empty without one; null if it has succeeded. */
export interface RecentEnd {
  readonly attemptId: AttemptId;
  readonly jobId: JobId;
  readonly workerId: WorkerId;
  readonly startedAt: number;
  readonly at: number;
  readonly pools: readonly string[];
  readonly location: string;
  readonly key: string | null;
  readonly message: string;
  /** Whether its task had not failed on the worker before. */
  readonly isFirstOnWorker: boolean;
}

/** Recent ends of attempts of a farm, and its outages, in a row of its own. Without the row: none. */
export interface OutagesRecord {
  readonly version: 1;
  /** The latest last. Failures and successes, each limited in number. */
  readonly recent: readonly RecentEnd[];
  /** At most one that lasts for each place. */
  readonly outages: readonly Outage[];
}

export const NO_OUTAGES: OutagesRecord = { version: 1, recent: [], outages: [] };

export const isSamePlace = (a: OutagePlace, b: OutagePlace): boolean =>
  a.kind === b.kind && a.name === b.name;

export const placeOf = ({ kind, name }: OutagePlace): OutagePlace => ({ kind, name });

/** Returns `usage pool houdini`, `compute location north`, `workers without a compute location`. */
export const placeText = ({ kind, name }: OutagePlace): string =>
  name === '' ? 'workers without a compute location' : `${kind} ${name}`;

/** Mark of an attempt whose failure belongs to an outage, and does not count. */
export interface OutageMark extends OutagePlace {
  readonly message: string;
  readonly policyVersion: number;
}

/** Returns the outages that have not ended at `now`. One from before the clock was set back has no effect. */
export const lastingOutages = ({ outages }: OutagesRecord, now: number): readonly Outage[] =>
  outages.filter(({ endedAt, since }) => endedAt === undefined && since <= now);

/** Reports whether an outage keeps all tasks back: during its hold, and while its probe runs. */
export const keepsBack = ({ until, probe }: Outage, now: number): boolean => now < until || probe !== null;
