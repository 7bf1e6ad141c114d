import type { Job, JobBulk } from '../../../client/resources.ts';
import { disabledReasonForRows } from '../../parts/data-table/bulk-target.ts';
import { counted } from '../../parts/number-text.ts';
import { hasJobEnded } from '../../state/ended.ts';

/** An action on one or many jobs. */
export type JobAction = 'pause' | 'resume' | 'retry' | 'cancel' | 'set-priority' | 'move' | 'delete';

export const JOB_ACTIONS: readonly JobAction[] = [
  'pause',
  'resume',
  'retry',
  'set-priority',
  'move',
  'cancel',
  'delete',
];

interface ActionLabels {
  /** Label of a button: "Pause". */
  readonly label: string;
  /** Returns the action with its object; `jobs` is "3 jobs", the result "Pause 3 jobs". */
  readonly title: (jobs: string) => string;
  /** Participle of the result: "paused" in "3 jobs paused". */
  readonly done: string;
  /** Requires a confirmation. */
  readonly isDestructive: boolean;
}

export const ACTION_LABELS: Readonly<Record<JobAction, ActionLabels>> = {
  pause: { label: 'Pause', title: (jobs) => `Pause ${jobs}`, done: 'paused', isDestructive: false },
  resume: { label: 'Resume', title: (jobs) => `Resume ${jobs}`, done: 'resumed', isDestructive: false },
  retry: { label: 'Retry', title: (jobs) => `Retry ${jobs}`, done: 'retried', isDestructive: false },
  'set-priority': {
    label: 'Priority…',
    title: (jobs) => `Set priority of ${jobs}`,
    done: 'updated',
    isDestructive: false,
  },
  move: {
    label: 'Move to queue…',
    title: (jobs) => `Move ${jobs} to another queue`,
    done: 'moved',
    isDestructive: false,
  },
  cancel: { label: 'Cancel…', title: (jobs) => `Cancel ${jobs}`, done: 'canceled', isDestructive: true },
  delete: { label: 'Delete…', title: (jobs) => `Delete ${jobs}`, done: 'deleted', isDestructive: true },
};

/** Formats a number of jobs: "3 jobs". */
export const formatJobCount = (count: number): string => counted(count, 'job');

/** Title of the message that an action failed: "Could not pause 3 jobs". */
export function failureTitle(action: JobAction, count: number): string {
  const title = ACTION_LABELS[action].title(formatJobCount(count));
  return `Could not ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

type JudgedJob = Pick<Job, 'status'> & {
  readonly task_counts: Pick<Job['task_counts'], 'failed' | 'canceled'>;
};

/**
 * Returns why an action does not fit the current state of a job (docs/contract/job-states.md and
 * docs/contract/task-states.md); empty if it fits.
 */
export function disabledReason(action: JobAction, job: JudgedJob): string {
  switch (action) {
    case 'pause':
      if (hasJobEnded(job.status)) return 'The job has ended.';
      return job.status === 'paused' ? 'The job is already paused.' : '';
    case 'resume':
      return job.status === 'paused' ? '' : 'The job is not paused.';
    case 'retry':
      return job.task_counts.failed + job.task_counts.canceled > 0
        ? ''
        : 'The job has no failed or canceled tasks.';
    case 'cancel':
      if (job.status === 'canceled') return 'The job is already canceled.';
      return hasJobEnded(job.status) ? 'The job has ended.' : '';
    case 'set-priority':
    case 'move':
    case 'delete':
      return '';
  }
}

/** Returns why an action fits none of the jobs; empty if it fits one of them or the list is empty. */
export const disabledReasonForAll = (action: JobAction, jobs: readonly JudgedJob[]): string =>
  disabledReasonForRows(
    jobs,
    (job) => disabledReason(action, job),
    'Not available for any of the selected jobs.',
  );

/** Returns the action of a shortcut key on the selected jobs. `p` resumes if all of them are paused, else it pauses. */
export function actionOfKey(key: string, jobs: readonly Pick<Job, 'status'>[]): JobAction | null {
  if (key === 'r') return 'retry';
  if (key === 'c') return 'cancel';
  if (key !== 'p') return null;
  return jobs.length > 0 && jobs.every(({ status }) => status === 'paused') ? 'resume' : 'pause';
}

/** Jobs that an action without a value changes without a confirmation. */
const MAX_UNCONFIRMED = 100;

/** Reports whether an action needs a dialog first. */
export const needsDialog = (action: JobAction, count: number): boolean =>
  ACTION_LABELS[action].isDestructive ||
  action === 'set-priority' ||
  action === 'move' ||
  count > MAX_UNCONFIRMED;

export const MAX_PRIORITY = 2_147_483_647;
export const MIN_PRIORITY = -MAX_PRIORITY - 1;

/** Returns the body of a bulk request without its ids. `priority` and `queue` are the inputs of the dialog. */
export function bulkRequest(
  action: JobAction,
  priority: string,
  queue: string,
  withDependents = true,
): Pick<JobBulk, 'action' | 'priority' | 'queue_id' | 'with_dependents'> {
  if (action === 'set-priority') return { action: 'set', priority: Number(priority) };
  if (action === 'move') return { action: 'set', queue_id: queue };
  return action === 'retry' ? { action, with_dependents: withDependents } : { action };
}

/** Returns why the value of an action cannot be sent; empty if it can. */
export function valueError(action: JobAction, priority: string, queue: string): string {
  if (action === 'move') return queue === '' ? 'Choose a queue.' : '';
  if (action !== 'set-priority') return '';
  const value = Number(priority);
  const isValid = /^-?[0-9]{1,10}$/.test(priority.trim()) && value >= MIN_PRIORITY && value <= MAX_PRIORITY;
  return isValid ? '' : 'Enter a whole number.';
}
