import { Option, type Command } from 'commander';
import { integer } from './integer.ts';

/** Retry settings of a job, a queue or a farm. */
export interface RetryOptions {
  readonly maxAttempts?: number;
  readonly retryDelaySeconds?: number;
  readonly failureLimit?: number;
  readonly canaryTasks?: 'on' | 'off';
}

/** Adds the options of the retry policy. */
export const retryOptions = (command: Command): Command =>
  command
    .option('--max-attempts <n>', 'genuine failures after which a task has failed', integer)
    .option('--retry-delay-seconds <n>', 'seconds before a failed task may start again', integer)
    .option('--failure-limit <n>', 'failures after which a job is parked; 0 means no limit', integer)
    .addOption(
      new Option(
        '--canary-tasks <on|off>',
        'try the first, the middle and the last task of a step before the others',
      ).choices(['on', 'off']),
    );

interface RetryChanges {
  readonly max_attempts: number | undefined;
  readonly retry_delay_seconds: number | undefined;
  readonly failure_limit: number | undefined;
  readonly canary_tasks: boolean | undefined;
}

/** Returns the settings under the names of the REST API. */
export const retryChanges = ({
  maxAttempts,
  retryDelaySeconds,
  failureLimit,
  canaryTasks,
}: RetryOptions): RetryChanges => ({
  max_attempts: maxAttempts,
  retry_delay_seconds: retryDelaySeconds,
  failure_limit: failureLimit,
  canary_tasks: canaryTasks === undefined ? undefined : canaryTasks === 'on',
});
