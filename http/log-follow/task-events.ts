import type { JobId, TaskAddress, TaskId } from '../../src/core/ids.ts';

/** Something about a task has changed that is in the store by now: its status, its job's status, or its log has grown. */
export type TaskEvent =
  | { readonly kind: 'status' | 'log'; readonly taskId: TaskId }
  | { readonly kind: 'job'; readonly jobId: JobId };

export interface TaskEvents {
  /** Calls `changed` at every event of the task or its job. Gives the function that ends the watch. */
  watch(task: TaskAddress, changed: () => void): () => void;
}
