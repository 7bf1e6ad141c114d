import type { JobStatus, TaskStatus } from '../../client/resources.ts';

/** Reports whether the job has ended. A retry can start it again. */
export const hasJobEnded = (status: JobStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';

/** Reports whether the task has ended. A retry can start it again. */
export const hasTaskEnded = (status: TaskStatus): boolean => status === 'succeeded' || isRetriable(status);

/** Reports whether a user can retry the task. */
export const isRetriable = (status: TaskStatus): boolean => status === 'failed' || status === 'canceled';
