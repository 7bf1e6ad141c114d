import type { JobDetail } from '../../../../client/resources.ts';

/** Something to know of a job that does not go on by itself, and what to do about it. */
export interface JobNotice {
  readonly kind: 'warning' | 'info';
  readonly title: string;
  readonly detail: string;
}

type Judged = Pick<
  JobDetail,
  'status' | 'park_reason' | 'cancel_reason' | 'failed_attempts' | 'task_counts'
> & {
  readonly effective_retry: Pick<JobDetail['effective_retry'], 'failure_limit'>;
};

/** What is to be known of the job; null when nothing is. */
export function noticeOf(job: Judged): JobNotice | null {
  const { park_reason: parked, cancel_reason: canceled } = job;
  if (job.status === 'paused' && parked !== undefined) {
    const times = `${job.failed_attempts.toLocaleString('en')} of ${job.effective_retry.failure_limit.toLocaleString('en')} allowed failures`;
    return {
      kind: 'warning',
      title: `The job was parked: ${parked}`,
      detail: `It has had ${times}. Look at the failures below; then resume it to go on with what is left, or retry the failed tasks. Both count failures from the start again.`,
    };
  }
  if (job.status === 'paused')
    return {
      kind: 'info',
      title: 'The job is paused',
      detail: 'Tasks that run go on; nothing more of it is handed out until it is resumed.',
    };
  if (job.status === 'canceled' && canceled !== undefined)
    return {
      kind: 'warning',
      title: `The job was canceled: ${canceled}`,
      detail: 'Retry it when the cause is gone: its canceled tasks are tried again.',
    };
  if (job.status === 'blocked')
    return {
      kind: 'info',
      title: 'The job waits for other jobs',
      detail: 'It begins when all that it depends on have completed; see the dependencies.',
    };
  if (job.task_counts.unschedulable > 0)
    return {
      kind: 'warning',
      title: `No online worker may run ${job.task_counts.unschedulable === 1 ? 'one task' : `${job.task_counts.unschedulable.toLocaleString('en')} tasks`}`,
      detail: 'The task page says what is missing: open one of the unschedulable tasks.',
    };
  return null;
}
