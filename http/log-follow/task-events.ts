import type { JobId, TaskAddress, TaskId } from '../../src/core/ids.ts';

/** Stored change of a task: of its status, its job's status, or its log. */
export type TaskEvent =
  | { readonly kind: 'status' | 'log'; readonly taskId: TaskId }
  | { readonly kind: 'job'; readonly jobId: JobId };

export interface TaskEvents {
  /** Calls `changed` at every event of the task or its job. Returns a function that ends the watch. */
  watch(task: TaskAddress, changed: () => void): () => void;
}
