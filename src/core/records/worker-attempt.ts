/** Step, index and number of an attempt. */
type AttemptPosition = readonly [stepOrder: number, index: number, attemptNumber: number];

/**
 * Entry of the index of closed attempts by worker and end (docs/decisions/worker-attempts.md). The key has the worker,
 * the end and the first attempt.
 */
export interface WorkerAttemptRecord {
  readonly version: 1;
  /** Further attempts of the job that were closed on the worker in the same turn. Absent is none. */
  readonly more?: readonly AttemptPosition[];
}
