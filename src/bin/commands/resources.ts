/**
 * What the client commands read of the resources of the REST API (interface.md, "Resources and their fields"). The service
 * may send more: unknown fields are ignored, and `--json` prints them as they came.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export interface Farm {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface Queue {
  readonly id: string;
  readonly farm_id: string;
  readonly name: string;
  readonly priority: number;
  readonly paused: boolean;
}

export interface TaskCounts {
  readonly total: number;
  readonly pending: number;
  readonly ready: number;
  readonly assigned: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

export interface Job {
  readonly id: string;
  readonly farm_id: string;
  readonly queue_id: string;
  readonly name: string;
  readonly owner: string;
  readonly priority: number;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly task_counts: TaskCounts;
  readonly park_reason?: string;
}

export interface JobDetail extends Job {
  readonly steps: readonly Step[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[];
  readonly failure_summary?: { readonly failed_count: number; readonly dominant_reason: string };
}

export interface Step {
  readonly name: string;
  readonly status: string;
  readonly depends_on?: readonly string[];
  readonly task_counts: TaskCounts;
}

export interface Task {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly assigned_worker_id?: string;
  readonly failed_attempts: number;
  readonly failure_reason?: string;
}

export interface LogChunk {
  readonly bus_seq: number;
  readonly stream: string;
  readonly data: string;
}

export interface LogPage {
  readonly items: readonly LogChunk[];
  readonly after_bus_seq: number;
}

export interface Worker {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly status: string;
  readonly cpu_count?: number;
  readonly committed_cores?: number;
  readonly compute_location?: string;
  readonly last_heartbeat_at?: string;
}
