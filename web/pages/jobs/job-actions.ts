import type { Job } from '../../../client/resources.ts';
import { disabledReasonForRows } from '../../parts/data-table/bulk-target.ts';
import { counted } from '../../parts/number-text.ts';
import { hasJobEnded } from '../../state/ended.ts';

/** What can be done to jobs, one or many. */
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

interface ActionWords {
  /** On a button: "Pause". */
  readonly label: string;
  /** What is done, to how many: "Pause 3 jobs". */
  readonly deed: (jobs: string) => string;
  /** "3 jobs paused". */
  readonly done: string;
  /** It cannot be taken back: it is asked for once more. */
  readonly isDestructive: boolean;
}

export const ACTION_LABELS: Readonly<Record<JobAction, ActionWords>> = {
  pause: { label: 'Pause', deed: (jobs) => `Pause ${jobs}`, done: 'paused', isDestructive: false },
  resume: { label: 'Resume', deed: (jobs) => `Resume ${jobs}`, done: 'resumed', isDestructive: false },
  retry: { label: 'Retry', deed: (jobs) => `Retry ${jobs}`, done: 'tried again', isDestructive: false },
  'set-priority': {
    label: 'Priority…',
    deed: (jobs) => `Set the priority of ${jobs}`,
    done: 'given the priority',
    isDestructive: false,
  },
  move: {
    label: 'Move to queue…',
    deed: (jobs) => `Move ${jobs} to a queue`,
    done: 'moved',
    isDestructive: false,
  },
  cancel: { label: 'Cancel…', deed: (jobs) => `Cancel ${jobs}`, done: 'canceled', isDestructive: true },
  delete: { label: 'Delete…', deed: (jobs) => `Delete ${jobs}`, done: 'deleted', isDestructive: true },
};

/** "3 jobs". */
export const formatJobCount = (count: number): string => counted(count, 'job');

type Judged = Pick<Job, 'status'> & { readonly task_counts: Pick<Job['task_counts'], 'failed' | 'canceled'> };

/**
 * Why the action makes no sense for the job as it is (docs/contract/job-states.md and docs/contract/task-states.md);
 * empty when it does.
 */
export function disabledReason(action: JobAction, job: Judged): string {
  switch (action) {
    case 'pause':
      if (hasJobEnded(job.status)) return 'It has ended.';
      return job.status === 'paused' ? 'It is paused already.' : '';
    case 'resume':
      return job.status === 'paused' ? '' : 'It is not paused.';
    case 'retry':
      return job.task_counts.failed + job.task_counts.canceled > 0
        ? ''
        : 'None of its tasks has failed or was canceled.';
    case 'cancel':
      if (job.status === 'canceled') return 'It is canceled already.';
      return hasJobEnded(job.status) ? 'It has ended.' : '';
    case 'set-priority':
    case 'move':
    case 'delete':
      return '';
  }
}

/** Why the action makes no sense for any of the jobs; empty when it does for one of them, or none of them is known. */
export const disabledReasonForAll = (action: JobAction, jobs: readonly Judged[]): string =>
  disabledReasonForRows(jobs, (job) => disabledReason(action, job), 'Not for any of the selected jobs.');
