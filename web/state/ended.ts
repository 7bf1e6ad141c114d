import type { JobStatus, Task, TaskStatus } from '../../client/resources.ts';

/** Reports whether the job has ended. A retry can start it again. */
export const hasJobEnded = (status: JobStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';

/** Reports whether the task has ended. A retry can start it again. */
export const hasTaskEnded = (status: TaskStatus): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'canceled';

/** Reports whether a user can retry the task. */
export const isRetriable = ({ status, skipped }: Pick<Task, 'status' | 'skipped'>): boolean =>
  status === 'failed' || status === 'canceled' || skipped !== undefined;
