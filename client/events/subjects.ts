import type { DiagnosticLevel, JobStatus, LogChunk, TaskStatus, WorkerStatus } from '../resources.ts';

/** What the events of each subject tell (docs/events.md, "Subjects"). */

/** What has become of a job as a whole. `removed`: it is gone for good. */
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

/** What has become of one task; what befalls all tasks of a job at once is told by the event of the job. */
export interface TaskEvent {
  readonly job_id: string;
  readonly task_id: string;
  readonly name: string;
  readonly status: TaskStatus;
  /** Empty when no worker has it. */
  readonly worker_id: string;
  /** Empty unless the task is ready and no online worker may run it. */
  readonly unschedulable_reason: string;
  readonly updated_at: string;
  /** From 0 to 100; absent when the task has not said. */
  readonly progress?: number;
  /** Absent when the task has not said. */
  readonly status_message?: string;
}

/** A piece of a task's log: the same as over REST when `attempt_id` and `seq_num` are the same. */
export type LogEvent = Pick<LogChunk, 'task_id' | 'attempt_id' | 'seq_num' | 'stream' | 'data' | 'at'>;

/** `removed`: the worker is gone for good. */
export interface WorkerEvent {
  readonly worker_id: string;
  readonly name: string;
  readonly hostname: string;
  readonly farm_id: string;
  readonly status: WorkerStatus | 'removed';
}

export interface DiagnosticEvent {
  readonly component: string;
  readonly level: DiagnosticLevel;
  readonly msg: string;
  /** Absent when there are none. */
  readonly attrs?: Readonly<Record<string, string>>;
  /** RFC 3339 with nanoseconds. */
  readonly at: string;
}

export type TasksSubject = `jobs/${string}/tasks`;
export type LogsSubject = `tasks/${string}/logs`;
export type Subject = 'jobs' | 'workers' | 'diagnostics' | TasksSubject | LogsSubject;

export type PayloadOf<S extends Subject> = S extends 'jobs'
  ? JobEvent
  : S extends 'workers'
    ? WorkerEvent
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
  /** Grows from event to event of the subject. */
  readonly seq: number;
  readonly payload: PayloadOf<S>;
}

/** The subject of the tasks of a job. */
export const tasksOf = (jobId: string): TasksSubject => `jobs/${jobId}/tasks`;

/** The subject of the log of a task. */
export const logsOf = (taskId: string): LogsSubject => `tasks/${taskId}/logs`;
