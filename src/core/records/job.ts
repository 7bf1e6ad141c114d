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
  /** Why the job was parked; empty otherwise. */
  readonly parkReason: string;
  /** Set if a paused job also waits for its upstream jobs. Absent is false. */
  readonly waitsWhilePaused?: boolean;
  /** Why the job was canceled without a user's action (an upstream failed); empty otherwise. */
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
  /**
   * When the job became completed, failed or canceled: the start of its retention time. Absent or 0 while it is active.
   */
  readonly endedAt?: number;
}

/** The template of a job, verbatim as submitted. */
export interface TemplateRecord {
  readonly version: 1;
  readonly format: TemplateFormat;
  readonly text: string;
}
