import type { RetryPolicy } from '../lifecycle/retry-policy.ts';
import type { JobRecord } from './job.ts';

/** A client's `Idempotency-Key` has made a job: what a repeat of the request is answered with. */
export interface IdempotencyKeyRecord {
  readonly version: 1;
  /** Of the request: another one must not come with the same key. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch, from which on the key is as good as new. */
  readonly expiresAt: number;
  /** The job as it was made, and the retry settings of server, farm and queue at that time. */
  readonly job: JobRecord;
  readonly inherited: RetryPolicy;
}

/** How long a repeat gives the first answer, in milliseconds. Not over a day: rows of two days are looked up. */
export const IDEMPOTENCY_KEY_MS = 24 * 3_600_000;
