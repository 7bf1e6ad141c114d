import { CASCADE_REASON, UPSTREAM_JOB_REASON, USER_CANCEL_REASON } from '../lifecycle/failure-reasons.ts';
import type { AttemptRecord } from '../records/attempt.ts';
import type { TaskFacts } from './task-facts.ts';
import { upstreamsOf } from './upstream-gates.ts';
import {
  briefText,
  clockText,
  pluralize,
  durationText,
  joinAtMost,
  numberText,
  sentenceOf,
} from './wording.ts';

/** Maximum number of steps or jobs in a sentence. */
const NAMED_MAX = 3;

/** Returns the sentence of a live task. */
export function liveSummary(facts: TaskFacts, status: 'assigned' | 'running'): string {
  const { attempt, attempts, task, now } = facts;
  const since = durationText(now - (attempt?.startedAt ?? task.assignedAt ?? task.updatedAt));
  const where = workerOf(facts, status === 'running' ? 'on' : 'to');
  const again = attemptText(attempts);
  return sentenceOf(
    status === 'running'
      ? `running${where} for ${since}${again}`
      : `assigned${where} ${since} ago${again}; the worker has not reported yet that it runs`,
  );
}

/** Returns the sentence of a task that has ended. */
export function terminalSummary(facts: TaskFacts, status: 'succeeded' | 'failed' | 'canceled'): string {
  switch (status) {
    case 'succeeded':
      if (facts.task.skipped) return 'Skipped: the task counts as succeeded without having run to its end.';
      return sentenceOf(
        `succeeded${workerOf(facts, 'on')}${lengthText(facts.attempt)}, at ${endText(facts)}${attemptText(facts.attempts)}`,
      );
    case 'failed':
      return sentenceOf(`${failedClause(facts)}${colon(facts.failureReason)}`);
    case 'canceled':
      return sentenceOf(canceledClause(facts));
  }
}

/** ` on render-004`, or an empty text if the attempt is unknown. */
const workerOf = ({ attempt, names }: TaskFacts, word: 'on' | 'to'): string =>
  attempt === null ? '' : ` ${word} ${names.worker(attempt.workerId)}`;

const attemptText = (attempts: number): string => (attempts < 2 ? '' : ` (attempt ${numberText(attempts)})`);

const lengthText = (attempt: AttemptRecord | null): string =>
  attempt?.endedAt === undefined ? '' : ` after ${durationText(attempt.endedAt - attempt.startedAt)}`;

const endText = ({ attempt, task, now }: TaskFacts): string =>
  clockText(attempt?.endedAt ?? task.updatedAt, now);

const colon = (text: string | null): string => {
  const brief = briefText(text ?? '');
  return brief === '' ? '' : `: ${brief}`;
};

/** Attempts that were lost with their worker do not count as failures of the task. */
function failedClause(facts: TaskFacts): string {
  const { attempts } = facts;
  const { failedAttempts } = facts.task;
  if (attempts === 0) return 'failed';
  const failures =
    attempts === failedAttempts ? '' : `, ${numberText(failedAttempts)} of them counted as failures,`;
  const last =
    attempts === 1 ? workerOf(facts, 'on') : `${failures === '' ? ',' : ''} the last${workerOf(facts, 'on')}`;
  return `failed after ${pluralize(attempts, 'attempt')}${attempts === 1 ? '' : failures}${last}`;
}

function canceledClause(facts: TaskFacts): string {
  const { failureReason, steps, step, upstreamJobs } = facts;
  switch (failureReason) {
    case USER_CANCEL_REASON:
      return 'canceled by a user';
    case CASCADE_REASON: {
      const upstreams = upstreamsOf(step, steps);
      return because('step', [
        ...upstreams.flatMap(({ name, status }) => (status === 'failed' ? [`${name} failed`] : [])),
        ...upstreams.flatMap(({ name, status }) => (status === 'canceled' ? [`${name} was canceled`] : [])),
      ]);
    }
    case UPSTREAM_JOB_REASON:
      return because(
        'job',
        upstreamJobs.flatMap((upstream) => {
          if (upstream.isHidden === true) return [];
          const { id, record } = upstream;
          if (record === null) return [`${id} was deleted`];
          if (record.status === 'failed') return [`${record.name} failed`];
          return record.status === 'canceled' ? [`${record.name} was canceled`] : [];
        }),
      );
    default:
      return `canceled${colon(failureReason)}`;
  }
}

const because = (what: 'step' | 'job', causes: readonly string[]): string =>
  causes.length === 0
    ? `canceled because an upstream ${what} failed`
    : `canceled because upstream ${what} ${joinAtMost(causes, NAMED_MAX)}`;
