import type { FarmId, JobId, QueueId } from '../ids.ts';
import type { JobStatus } from '../lifecycle/job-transitions.ts';
import type { RetryOverride } from '../lifecycle/retry-policy.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';

export type TemplateFormat = 'yaml' | 'json';

/** A job (docs/contract/resources.md#job). Times are milliseconds since the epoch. */
export interface JobRecord {
  readonly version: 1;
  readonly id: JobId;
  readonly farmId: FarmId;
  readonly queueId: QueueId;
  readonly name: string;
  readonly description: string;
  readonly owner: string;
  readonly submitter: string;
  readonly priority: number;
  readonly project: string;
  readonly status: JobStatus;
  /** Why the job was parked; empty unless it was. */
  readonly parkReason: string;
  /** Whether a paused job is blocked underneath: it waits for its upstream jobs. Absent is false. */
  readonly waitsWhilePaused?: boolean;
  /** Why the job was canceled without a user's doing (an upstream failed); empty otherwise. */
  readonly cancelReason: string;
  readonly templateFormat: TemplateFormat;
  readonly retry: RetryOverride;
  /** Genuine task failures since the last reset. */
  readonly failedAttempts: number;
  readonly dependsOn: readonly JobId[];
  readonly extensions: readonly string[];
  readonly taskCounts: TaskCounts;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the job became completed, failed or canceled: what retention counts from. Absent or 0 while it is active. */
  readonly endedAt?: number;
}

/** The template of a job, word for word as it was submitted. */
export interface TemplateRecord {
  readonly version: 1;
  readonly format: TemplateFormat;
  readonly text: string;
}
