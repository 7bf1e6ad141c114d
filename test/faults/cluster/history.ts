import type { RecordedProcess } from './task-program.ts';

/** A submission of a client. Its job has the name of its idempotency key. */
export interface Submission {
  readonly key: string;
  readonly tasks: number;
  /** Each task fails in its first process, and the job allows one attempt: it fails until a client retries it. */
  readonly failsFirst: boolean;
  /** Id of the job of the first acknowledgement; null while no request was acknowledged. */
  jobId: string | null;
}

/** A cancel or retry of a job that a node has acknowledged. */
export interface Order {
  readonly jobId: string;
  readonly what: 'cancel' | 'retry';
  /** Seconds of uptime at the acknowledgement. */
  readonly at: number;
}

/** An ended job that a client has read. */
export interface Observation {
  readonly jobId: string;
  readonly node: string;
  readonly status: string;
  /** Seconds of uptime before the request. */
  readonly at: number;
}

/** A value that one client writes, each time another one. */
export interface Register {
  readonly name: string;
  /** The last acknowledged value; null before the first. */
  readonly acknowledged: string | null;
  /** Values of requests whose outcome is unknown: each may have been written, also later. */
  readonly unknown: ReadonlySet<string>;
}

export interface AttemptState {
  readonly number: number;
  readonly status: string;
  readonly isOpen: boolean;
}

export interface TaskState {
  readonly number: number;
  readonly status: string;
  readonly attempts: readonly AttemptState[];
}

export interface JobState {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly tasks: readonly TaskState[];
}

/** Everything that one node says at the end. */
export interface NodeView {
  readonly node: string;
  readonly jobs: readonly JobState[];
  /** Values by name of the register. */
  readonly registers: ReadonlyMap<string, string>;
}

/** Records from outside the cluster, and the answers of its nodes at the end. */
export interface History {
  readonly submissions: readonly Submission[];
  readonly orders: readonly Order[];
  readonly observations: readonly Observation[];
  readonly registers: readonly Register[];
  readonly processes: readonly RecordedProcess[];
  readonly views: readonly NodeView[];
}
