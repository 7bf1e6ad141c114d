import type { FarmId, JobId, QueueId } from '../ids.ts';
import type { JobStatus } from '../lifecycle/job-transitions.ts';
import type { RetryOverride } from '../lifecycle/retry-policy.ts';
import type { RetryRule } from '../retry-rules/retry-rule.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';
import type { JobCaps } from './job-caps.ts';

export type TemplateFormat = 'yaml' | 'json';

/** The product of a job at its submission (docs/contract/products.md). */
export interface JobProduct {
  readonly name: string;
  /** Its label; may be empty. */
  readonly version: string;
}

/** A job (docs/contract/resources.md#job). Times are milliseconds since the epoch. */
export interface JobRecord extends JobCaps {
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
  /** Why the job was parked. Stored as an empty text if it was not: read it with `parkReasonOf`. */
  readonly parkReason: string;
  /** Set if a paused job also waits for its upstream jobs. Absent is false. */
  readonly waitsWhilePaused?: boolean;
  /**
   * Why the job was canceled without a user's action (an upstream failed). Stored as an empty text otherwise: read it
   * with `cancelReasonOf`.
   */
  readonly cancelReason: string;
  readonly templateFormat: TemplateFormat;
  readonly retry: RetryOverride;
  /** Rules for failed attempts of its tasks, at first those of its product. Absent: none. */
  readonly retryRules?: readonly RetryRule[];
  /** Genuine task failures since the last reset. */
  readonly failedAttempts: number;
  readonly dependsOn: readonly JobId[];
  /**
   * Upstream jobs that had failed or were canceled when this job was retried: it waits for their retry. Absent is none.
   */
  readonly endedUpstreams?: readonly JobId[];
  readonly extensions: readonly string[];
  readonly taskCounts: TaskCounts;
  readonly createdAt: number;
  readonly updatedAt: number;
  /**
   * When the job became completed, failed or canceled: the start of its retention time. Absent while it is active.
   */
  readonly endedAt?: number;
  /** No task of the job starts before this time. Absent without one, and removed when the time has come. */
  readonly startAfter?: number;
  /** Absent if the client submitted a template. */
  readonly product?: JobProduct;
}

/** Returns why the job was parked, or null if it was not. */
export const parkReasonOf = ({ parkReason }: JobRecord): string | null =>
  parkReason === '' ? null : parkReason;

/** Returns why the job was canceled without a user's action, or null. */
export const cancelReasonOf = ({ cancelReason }: JobRecord): string | null =>
  cancelReason === '' ? null : cancelReason;

/** Returns the record of a job that is active again: without its former end. */
export function withoutEnd(record: JobRecord): JobRecord {
  const { endedAt: _endedAt, ...active } = record;
  return active;
}

/** Returns the record of a job that may start now. */
export function withoutStart(record: JobRecord): JobRecord {
  const { startAfter: _startAfter, ...started } = record;
  return started;
}

/** A template, verbatim. */
export interface TemplateText {
  readonly format: TemplateFormat;
  readonly text: string;
}

/** An environment template of a job, verbatim as it was at the submission. */
export interface JobEnvironment extends TemplateText {
  /** `queue`: of its queue; `submission`: sent with the job. */
  readonly origin: 'queue' | 'submission';
  /** Name of the environment. */
  readonly name: string;
}

/** Returns the row of a job's template. */
export const templateRecord = (
  { format, text }: TemplateText,
  environments: readonly JobEnvironment[] = [],
): TemplateRecord => ({ version: 1, format, text, ...(environments.length > 0 && { environments }) });

/** The template of a job, verbatim as submitted. */
export interface TemplateRecord {
  readonly version: 1;
  readonly format: TemplateFormat;
  readonly text: string;
  /** Environment templates that it was submitted with, the outermost first. Absent is none. */
  readonly environments?: readonly JobEnvironment[];
}
