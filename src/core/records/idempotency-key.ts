import type { RetryPolicy } from '../lifecycle/retry-policy.ts';
import type { JobRecord } from './job.ts';

/** A client's `Idempotency-Key` that has created a job, with the reply for repeated requests. */
export interface IdempotencyKeyRecord {
  readonly version: 1;
  /** Hash of the request: the key must not be reused for a different one. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch, from which on the key may be reused. */
  readonly expiresAt: number;
  /** The job as it was created, and the retry settings of server, farm and queue at that time. */
  readonly job: JobRecord;
  readonly inherited: RetryPolicy;
}

/**
 * How long a repeated request gets the first reply, in milliseconds. At most a day, because the rows of two days are
 * searched.
 */
export const IDEMPOTENCY_KEY_MS = 24 * 3_600_000;
