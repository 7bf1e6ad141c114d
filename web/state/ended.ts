import type { JobStatus, TaskStatus } from '../../client/resources.ts';

/** Nothing more becomes of the job, unless a user tries tasks of it again. */
export const hasJobEnded = (status: JobStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';

/** Nothing more becomes of the task, unless a user tries it again. */
export const hasTaskEnded = (status: TaskStatus): boolean => status === 'succeeded' || isRetriable(status);

/** Whether a user may have the task tried again. */
export const isRetriable = (status: TaskStatus): boolean => status === 'failed' || status === 'canceled';
