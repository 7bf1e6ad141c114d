import type { DiagnosticLevel, JobStatus, LogChunk, Outage, TaskStatus, WorkerStatus } from '../resources.ts';

/** Event payloads by subject (docs/events.md, "Subjects"). */

/** Change of a job. `removed` means that it was deleted. */
export interface JobEvent {
  readonly job_id: string;
  /** Always empty. */
  readonly task_id: '';
  readonly name: string;
  readonly owner: string;
  readonly queue_id: string;
  readonly status: JobStatus | 'removed';
  readonly updated_at: string;
}

/** Change of one task. A change of all tasks of a job at once is published as an event of the job. */
export interface TaskEvent {
  readonly job_id: string;
  readonly task_id: string;
  readonly name: string;
  readonly status: TaskStatus;
  /** Empty if no worker has the task. */
  readonly worker_id: string;
  /** Empty unless the task is ready and no online worker can run it. */
  readonly unschedulable_reason: string;
  readonly updated_at: string;
  /** True if a user has skipped the task; missing otherwise. */
  readonly skipped?: true;
  /** True if the task was taken back for one of another queue; missing otherwise. */
  readonly preempted?: true;
  /** The `preemption_version` of the other queue by which it was taken back; missing without `preempted`. */
  readonly preemption_version?: number;
  /** From 0 to 100; missing if the task has not reported it. */
  readonly progress?: number;
  /** Missing if the task has not reported one. */
  readonly status_message?: string;
}

/** Chunk of a task log; the same as over REST if `attempt_id` and `seq_num` are equal. */
export type LogEvent = Pick<LogChunk, 'task_id' | 'attempt_id' | 'seq_num' | 'stream' | 'data' | 'at'>;

/** Change of a worker. `removed` means that it was deleted. */
export interface WorkerEvent {
  readonly worker_id: string;
  readonly name: string;
  readonly hostname: string;
  readonly farm_id: string;
  readonly status: WorkerStatus | 'removed';
}

/** Start of a hold of a usage pool or compute location, or end of its outage. */
export interface OutageEvent extends Omit<Outage, 'status' | 'probe'> {
  readonly farm_id: string;
  /** `held` also if the place is held again after a task was tried. */
  readonly status: 'held' | 'ended';
  /** Missing unless the status is `ended`. */
  readonly end_reason?: 'task passed' | 'ended by a user' | 'turned off' | 'clock set back' | 'farm deleted';
  readonly updated_at: string;
}

export interface DiagnosticEvent {
  readonly component: string;
  readonly level: DiagnosticLevel;
  readonly msg: string;
  /** Missing if there are none. */
  readonly attrs?: Readonly<Record<string, string>>;
  /** RFC 3339 with nanoseconds. */
  readonly at: string;
}

export type TasksSubject = `jobs/${string}/tasks`;
export type LogsSubject = `tasks/${string}/logs`;
export type Subject = 'jobs' | 'workers' | 'outages' | 'diagnostics' | TasksSubject | LogsSubject;

export type PayloadOf<S extends Subject> = S extends 'jobs'
  ? JobEvent
  : S extends 'workers'
    ? WorkerEvent
    : S extends 'outages'
      ? OutageEvent
      : S extends 'diagnostics'
        ? DiagnosticEvent
        : S extends TasksSubject
          ? TaskEvent
          : S extends LogsSubject
            ? LogEvent
            : never;

/** An event of a subject. */
export interface EventOf<S extends Subject> {
  readonly subject: S;
  /** Increases with each event of the subject. */
  readonly seq: number;
  readonly payload: PayloadOf<S>;
}

/** Returns the subject of the tasks of a job. */
export const tasksOf = (jobId: string): TasksSubject => `jobs/${jobId}/tasks`;

/** Returns the subject of the log of a task. */
export const logsOf = (taskId: string): LogsSubject => `tasks/${taskId}/logs`;
