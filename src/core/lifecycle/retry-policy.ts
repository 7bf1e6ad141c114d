import type { RetryRule, RetryRuleSet } from '../retry-rules/retry-rule.ts';

/** A level's own retry settings; an absent field inherits from the level above (docs/contract/retry.md#settings). */
export interface RetryOverride {
  readonly maxAttempts?: number;
  readonly retryDelaySeconds?: number;
  readonly failureLimit?: number;
  /** Tries canary tasks first (docs/quarantine.md#canary-tasks). It is on if one of the levels turns it on. */
  readonly canaryTasks?: boolean;
}

/** The effective settings of a job. `failureLimit` 0 means no limit. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly retryDelaySeconds: number;
  readonly failureLimit: number;
  /** Absent is false. */
  readonly canaryTasks?: boolean;
}

/** Inherited by a job: the settings of server, farm and queue, and the rules of its queue and of all usage pools. */
export interface InheritedRetry extends RetryPolicy {
  /** Absent: none. */
  readonly ruleSets?: readonly RetryRuleSet[];
  /** Whether its farm looks for outages (docs/outages.md). Absent is false. */
  readonly findsOutages?: true;
}

/** Returns the rule sets of queue and pools in the order in which they are tried; undefined if there are no rules. */
export function inheritedRules(
  queue: { readonly name: string; readonly retryRules?: readonly RetryRule[] } | undefined,
  ofPools: readonly RetryRuleSet[],
): readonly RetryRuleSet[] | undefined {
  const sets: RetryRuleSet[] = [];
  if (queue?.retryRules !== undefined) sets.push({ level: 'queue', of: queue.name, rules: queue.retryRules });
  sets.push(...ofPools);
  return sets.length === 0 ? undefined : sets;
}

/** Returns the rule sets of usage pools, by name. */
export const rulesOfPools = (
  pools: Iterable<{ readonly name: string; readonly retryRules?: readonly RetryRule[] }>,
): readonly RetryRuleSet[] =>
  [...pools]
    .flatMap(({ name, retryRules: rules }) =>
      rules === undefined ? [] : [{ level: 'pool' as const, of: name, rules }],
    )
    .sort((a, b) => (a.of < b.of ? -1 : a.of > b.of ? 1 : 0));

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
      ...((level.canaryTasks === true || policy.canaryTasks === true) && { canaryTasks: true }),
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
