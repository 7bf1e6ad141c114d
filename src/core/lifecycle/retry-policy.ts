/** A level's own retry settings; an absent field inherits from the level above (docs/contract/retry.md#settings). */
export interface RetryOverride {
  readonly maxAttempts?: number;
  readonly retryDelaySeconds?: number;
  readonly failureLimit?: number;
}

/** The effective settings of a job. `failureLimit` 0 means no limit. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly retryDelaySeconds: number;
  readonly failureLimit: number;
}

/**
 * Returns the effective settings of the levels server, farm, queue, job: the later level wins
 * (docs/contract/retry.md#settings).
 */
export function effectiveRetry(server: RetryPolicy, ...levels: readonly RetryOverride[]): RetryPolicy {
  return levels.reduce<RetryPolicy>(
    (policy, level) => ({
      maxAttempts: level.maxAttempts ?? policy.maxAttempts,
      retryDelaySeconds: level.retryDelaySeconds ?? policy.retryDelaySeconds,
      failureLimit: level.failureLimit ?? policy.failureLimit,
    }),
    server,
  );
}

export type FailureOutcome = 'retry' | 'exhausted' | 'auto-park';

/**
 * Returns the outcome of a genuine failure (docs/contract/retry.md#outcomes-of-a-failure). Both counts include the
 * failure itself.
 */
export function failureOutcome(
  policy: RetryPolicy,
  taskFailures: number,
  jobFailures: number,
): FailureOutcome {
  if (policy.failureLimit > 0 && jobFailures >= policy.failureLimit) return 'auto-park';
  return taskFailures < policy.maxAttempts ? 'retry' : 'exhausted';
}

/** Times of a ready task, in milliseconds since the epoch. `retryAfter` is null without a retry delay. */
interface ReadyTimes {
  readonly retryAfter: number | null;
  readonly updatedAt: number;
}

/**
 * Reports whether a ready task is still delayed at `now` by its retry_after (milliseconds since the epoch). If the
 * clock was set back to before the delay began, its rest is unknown and the task is not delayed.
 */
export const isRetryDelayed = <Task extends ReadyTimes>(
  task: Task,
  now: number,
): task is Task & { readonly retryAfter: number } =>
  task.retryAfter !== null && task.retryAfter > now && task.updatedAt <= now;

/** Returns since when a ready task may be leased: the end of its retry delay, if it has one. */
export const leasableSince = ({ updatedAt, retryAfter }: ReadyTimes): number =>
  Math.max(updatedAt, retryAfter ?? updatedAt);
