import type { JobDetail } from '../../../../client/resources.ts';
import { counted } from '../../../parts/number-text.ts';

/** A notice about a job that does not continue by itself, and what to do about it. */
export interface JobNotice {
  readonly kind: 'warning' | 'info';
  /** Absent if the detail says it all. */
  readonly title?: string;
  readonly detail: string;
}

type JudgedJob = Pick<
  JobDetail,
  'status' | 'park_reason' | 'cancel_reason' | 'waiting_reason' | 'failed_attempts' | 'task_counts'
> & {
  readonly effective_retry: Pick<JobDetail['effective_retry'], 'failure_limit'>;
};

/** Returns the notice about a job; null for none. */
export function noticeOf(job: JudgedJob): JobNotice | null {
  const { park_reason: parked, cancel_reason: canceled, waiting_reason: reason } = job;
  if (job.status === 'paused' && parked !== undefined) {
    const times = `${job.failed_attempts.toLocaleString('en')} of ${job.effective_retry.failure_limit.toLocaleString('en')} allowed failures`;
    return {
      kind: 'warning',
      title: `The job was parked: ${parked}`,
      detail: `The job had ${times}. Check the failures below. Then resume the job to run its remaining tasks, or retry the failed tasks. Both reset the failure count.`,
    };
  }
  if (job.status === 'paused')
    return {
      kind: 'info',
      title: 'The job is paused',
      detail: 'Running tasks continue. No new tasks start until you resume the job.',
    };
  if (job.status === 'canceled' && canceled !== undefined)
    return {
      kind: 'warning',
      title: `The job was canceled: ${canceled}`,
      detail: 'Fix the cause, then retry the job to rerun its canceled tasks.',
    };
  if (job.status === 'blocked')
    return {
      kind: 'info',
      title: 'The job is waiting for other jobs',
      detail: reason ?? 'The job starts when all its upstream jobs have completed. See the dependencies.',
    };
  if (job.task_counts.unschedulable > 0)
    return {
      kind: 'warning',
      title: `${counted(job.task_counts.unschedulable, 'task')} cannot start`,
      detail: reason ?? 'Open an unschedulable task to see the reason.',
    };
  if (reason !== undefined) return { kind: 'info', detail: reason };
  return null;
}
