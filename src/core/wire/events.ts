import type { FarmId, JobId, QueueId, TaskId, WorkerId } from '../ids.ts';
import type { OutageEndReason } from '../outages/changes.ts';
import type { OutageFacts } from '../outages/outage-facts.ts';
import type { JobStatus } from '../lifecycle/job-transitions.ts';
import type { TaskStatus } from '../lifecycle/task-transitions.ts';
import type { WorkerStatus } from '../records/worker.ts';

/**
 * Events of actors, published only after the commit of the change (docs/contract/events.md#subjects). Field names are
 * those of the contract. Times are RFC 3339.
 */
export type DomainEvent =
  | { readonly subject: 'jobs'; readonly payload: JobEvent }
  | { readonly subject: 'tasks'; readonly payload: TaskEvent }
  /** Tasks of the job have changed without events: subscribers get a gap. */
  | { readonly subject: 'tasks-lost'; readonly payload: { readonly job_id: JobId } }
  | { readonly subject: 'workers'; readonly payload: WorkerEvent }
  | { readonly subject: 'outages'; readonly payload: OutageEvent };

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
  /** True for a task that a user has skipped; absent otherwise. */
  readonly skipped?: true;
  /** True for a change by which the task was taken back (docs/policy.md#preemption); absent otherwise. */
  readonly preempted?: true;
  /** Version of the setting by which it was taken back; only with `preempted`. */
  readonly preemption_version?: number;
  /** From 0 to 100; absent if the task does not report it. */
  readonly progress?: number;
  /** Absent if the task does not report it. */
  readonly status_message?: string;
}

export interface WorkerEvent {
  readonly worker_id: WorkerId;
  readonly name: string;
  readonly hostname: string;
  readonly farm_id: FarmId;
  readonly status: WorkerStatus | 'removed';
}

/** Start of a hold of a place, or end of its outage (docs/outages.md). */
export interface OutageEvent extends OutageFacts {
  readonly farm_id: FarmId;
  /** `held` also for another hold in a row. */
  readonly status: 'held' | 'ended';
  /** Only with the status `ended`. */
  readonly end_reason?: OutageEndReason;
  readonly updated_at: string;
}
