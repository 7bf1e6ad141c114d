import type { FarmId, JobId, QueueId, TaskId, WorkerId } from '../ids.ts';
import type { JobStatus } from '../lifecycle/job-transitions.ts';
import type { TaskStatus } from '../lifecycle/task-transitions.ts';
import type { WorkerStatus } from '../records/worker.ts';

/**
 * What actors publish: said only after the commit that made it true (docs/contract/events.md#subjects). Field names are
 * the contract's; times are RFC 3339.
 */
export type DomainEvent =
  | { readonly subject: 'jobs'; readonly payload: JobEvent }
  | { readonly subject: 'tasks'; readonly payload: TaskEvent }
  | { readonly subject: 'workers'; readonly payload: WorkerEvent };

export interface JobEvent {
  readonly job_id: JobId;
  readonly name: string;
  readonly owner: string;
  readonly queue_id: QueueId;
  readonly status: JobStatus | 'removed';
  readonly updated_at: string;
}

export interface TaskEvent {
  readonly job_id: JobId;
  readonly task_id: TaskId;
  readonly name: string;
  readonly status: TaskStatus;
  readonly worker_id: WorkerId | '';
  /** Empty unless the task is ready and no online worker may run it. */
  readonly unschedulable_reason: string;
  readonly updated_at: string;
  /** From 0 to 100; absent when the task does not say. */
  readonly progress?: number;
  /** Absent when the task does not say. */
  readonly status_message?: string;
}

export interface WorkerEvent {
  readonly worker_id: WorkerId;
  readonly name: string;
  readonly hostname: string;
  readonly farm_id: FarmId;
  readonly status: WorkerStatus | 'removed';
}
