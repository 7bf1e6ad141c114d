import { stepIdOf } from '../ids.ts';
import { canaryIndices, isProbing } from '../lifecycle/canaries.ts';
import { isTerminalJob } from '../lifecycle/job-transitions.ts';
import { isRetryDelayed } from '../lifecycle/retry-policy.ts';
import { ruleSentence, usesAttempt } from '../retry-rules/applied-rule.ts';
import { cancelReasonOf, parkReasonOf } from '../records/job.ts';
import type {
  CanaryGate,
  HeldStepGate,
  JobGate,
  PausedJobGate,
  PausedQueueGate,
  RetryGate,
  StartGate,
} from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';
import { briefText, clockText, pluralize, durationText, numberText, sentenceOf } from './wording.ts';

/** Returns the gate of a job that has ended: it assigns no tasks. */
export function jobGates({ job }: TaskFacts): JobGate[] {
  const { status, name } = job;
  if (!isTerminalJob(status)) return [];
  const ended = { completed: 'is completed', failed: 'has failed', canceled: 'was canceled' }[status];
  const cancelReason = cancelReasonOf(job);
  const why = cancelReason === null ? '' : ` (${cancelReason})`;
  const sentence = sentenceOf(`the job ${name} ${ended}${why}`);
  return [{ gate: 'job', reason: `job ${status}`, sentence, status }];
}

/** Returns the gate of a paused job: a user paused it, or its failures parked it. */
export function pausedJobGates({ job }: TaskFacts): PausedJobGate[] {
  if (job.status !== 'paused') return [];
  const { failedAttempts } = job;
  const parkReason = parkReasonOf(job);
  const isParked = parkReason !== null;
  return [
    {
      gate: 'paused_job',
      reason: isParked ? 'job parked' : 'job paused',
      sentence: isParked
        ? sentenceOf(
            `the job was parked after ${pluralize(failedAttempts, 'failure')}: ${parkReason}; resume or retry it to continue`,
          )
        : 'The job is paused: no new tasks start until it is resumed.',
      parkReason,
      failedAttempts,
    },
  ];
}

/** Returns the gate of a job that waits for its start time. */
export function startGates({ job: { startAfter }, now }: TaskFacts): StartGate[] {
  if (startAfter === undefined) return [];
  const left = startAfter - now;
  const rest = left <= 0 ? '' : `, in ${durationText(left)}`;
  return [
    {
      gate: 'start_after',
      reason: 'start time not reached',
      sentence: sentenceOf(`no task of the job starts before ${clockText(startAfter, now)}${rest}`),
      until: startAfter,
    },
  ];
}

/** Returns the gate of a step that a user holds. */
export function heldStepGates({ step }: TaskFacts): HeldStepGate[] {
  const { hold, jobId, order, name } = step;
  if (hold === undefined) return [];
  const why = hold.reason === '' ? '' : ` (${briefText(hold.reason)})`;
  const sentence = sentenceOf(
    `the step ${name} is held by ${hold.by}${why}: no new tasks start until it is released`,
  );
  return [{ gate: 'held_step', reason: 'step held', sentence, step: { id: stepIdOf(jobId, order), name } }];
}

/** Returns the gate of a task behind the canary tasks of its step. */
export function canaryGates({ step, retry, index }: TaskFacts): CanaryGate[] {
  if (retry.canaryTasks !== true || !isProbing(step)) return [];
  const { jobId, order, name, taskCounts, taskCount } = step;
  const indices = canaryIndices(taskCount);
  if (indices.includes(index)) return [];
  const ended = taskCounts.succeeded + taskCounts.failed + taskCounts.canceled;
  const sentence = sentenceOf(
    `the first, the middle and the last task of step ${name} are tried before the others: ${numberText(ended)} of ${numberText(indices.length)} ${ended === 1 ? 'has' : 'have'} ended`,
  );
  return [
    {
      gate: 'canary',
      reason: 'canary tasks first',
      sentence,
      step: { id: stepIdOf(jobId, order), name },
      indices,
    },
  ];
}

/** Returns the gate of a paused queue: it assigns no tasks. */
export function pausedQueueGates({ isQueuePaused, lease, job, names }: TaskFacts): PausedQueueGate[] {
  if (!(lease?.isQueuePaused ?? isQueuePaused)) return [];
  const queue = { id: job.queueId, name: names.queue(job.queueId) };
  const sentence = sentenceOf(`the queue ${queue.name} is paused: no new tasks start until it is resumed`);
  return [{ gate: 'paused_queue', reason: 'queue paused', sentence, queue }];
}

/** Returns the gate of a failed task that waits for its retry. */
export function retryGates(facts: TaskFacts): RetryGate[] {
  const { task, now, lease, retry, attempt } = facts;
  const delayedUntil = isRetryDelayed(task, now) ? task.retryAfter : null;
  const until = lease === null ? delayedUntil : lease.heldUntil;
  if (until === null || until <= now) return [];
  const { failedAttempts } = task;
  const { maxAttempts } = retry;
  const rule = attempt?.status === 'failed' && !usesAttempt(attempt.rule) ? attempt.rule : undefined;
  const spent =
    rule !== undefined
      ? `: ${withoutStop(ruleSentence(rule))}`
      : failedAttempts === 0
        ? ''
        : `: ${numberText(failedAttempts)} of ${pluralize(maxAttempts, 'attempt')} ${failedAttempts === 1 ? 'has' : 'have'} failed${lastFailure(facts)}`;
  return [
    {
      gate: 'retry_after',
      reason: 'retry back-off',
      sentence: sentenceOf(
        `held back until ${clockText(until, now)}, for ${durationText(until - now)} more${spent}`,
      ),
      until,
      failedAttempts,
      maxAttempts,
      ...(rule !== undefined && { rule }),
    },
  ];
}

const withoutStop = (sentence: string): string =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');

/** `, the last on render-017 (exit 3)`. */
function lastFailure({ attempt, names }: TaskFacts): string {
  // An attempt that was taken back is not a failure of the task.
  if (attempt?.status !== 'failed' || attempt.reclaimed === true) return '';
  const how = attempt.exitCode === undefined ? briefText(attempt.message) : `exit ${attempt.exitCode}`;
  return `, the last on ${names.worker(attempt.workerId)}${how === '' ? '' : ` (${how})`}`;
}
