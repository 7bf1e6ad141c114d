/** A level's own retry settings; an absent field inherits from the level above (docs/contract/retry.md#settings). */
export interface RetryOverride {
  readonly maxAttempts?: number;
  readonly retryDelaySeconds?: number;
  readonly failureLimit?: number;
}

/** The settings in force for a job. `failureLimit` 0 means no limit. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly retryDelaySeconds: number;
  readonly failureLimit: number;
}

/** The cascade server, farm, queue, job: the later level wins (docs/contract/retry.md#settings). */
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
 * What follows a genuine failure (docs/contract/retry.md#outcomes-of-a-failure). Both counts include
 * the failure itself.
 */
export function failureOutcome(
  policy: RetryPolicy,
  taskFailures: number,
  jobFailures: number,
): FailureOutcome {
  if (policy.failureLimit > 0 && jobFailures >= policy.failureLimit) return 'auto-park';
  return taskFailures < policy.maxAttempts ? 'retry' : 'exhausted';
}

/**
 * Whether a ready task is held back at `now` by its retry_after (milliseconds since the epoch). When the clock was set
 * back to before the hold began, its length cannot be told any more, and the task is let go.
 */
export const isRetryDelayed = (
  task: { readonly retryAfter: number; readonly updatedAt: number },
  now: number,
): boolean => task.retryAfter > now && task.updatedAt <= now;
