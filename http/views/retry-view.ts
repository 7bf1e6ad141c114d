import type { RetryOverride } from '../../src/core/lifecycle/retry-policy.ts';

/** Retry fields with the names of the contract; missing ones are inherited. */
interface RetryFields {
  readonly max_attempts?: number | null;
  readonly retry_delay_seconds?: number | null;
  readonly failure_limit?: number | null;
  readonly canary_tasks?: boolean | null;
}

/** Returns the settings of one level, to be spread into its view. */
export function retryView(retry: RetryOverride): {
  max_attempts?: number;
  retry_delay_seconds?: number;
  failure_limit?: number;
  canary_tasks?: boolean;
} {
  return {
    ...(retry.maxAttempts !== undefined && { max_attempts: retry.maxAttempts }),
    ...(retry.retryDelaySeconds !== undefined && { retry_delay_seconds: retry.retryDelaySeconds }),
    ...(retry.failureLimit !== undefined && { failure_limit: retry.failureLimit }),
    ...(retry.canaryTasks === true && { canary_tasks: true }),
  };
}

/** Returns the settings of a request; null means the same as missing. */
export function retryOverride(fields: RetryFields): RetryOverride {
  const {
    max_attempts: maxAttempts,
    retry_delay_seconds: retryDelaySeconds,
    failure_limit: failureLimit,
    canary_tasks: canaryTasks,
  } = fields;
  return {
    ...(typeof maxAttempts === 'number' && { maxAttempts }),
    ...(typeof retryDelaySeconds === 'number' && { retryDelaySeconds }),
    ...(typeof failureLimit === 'number' && { failureLimit }),
    ...(typeof canaryTasks === 'boolean' && { canaryTasks }),
  };
}
