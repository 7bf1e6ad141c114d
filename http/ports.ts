import type { StepPreview } from '../src/openjd/template/preview-command.ts';
import type { JobSubmission } from '../actors/service/farm/messages.ts';
import type { ServiceEnvelope } from '../actors/service/service-messages.ts';
import type { ReplyTo } from '../actors/kernel/address.ts';
import type { DiagnosticLog } from '../src/core/diagnostics/diagnostic-log.ts';
import type { FarmId, JobId, TaskAddress, TaskId } from '../src/core/ids.ts';
import type { RetryPolicy } from '../src/core/lifecycle/retry-policy.ts';
import type { JobPlan } from '../src/openjd/template/plan.ts';
import type { ServiceActivity } from '../src/core/metrics/state-counts.ts';
import type { LargeJob, LargeJobs, PlanInParts } from '../src/core/ports/large-jobs.ts';
import type { LogReader } from '../src/core/ports/log-store.ts';
import type { StoreReader } from '../src/core/ports/store.ts';
import type { Outcome } from '../src/core/problems.ts';
import type { PointedError } from '../src/openjd/primitives/pointed-error.ts';
import type { JobRecord, TemplateFormat } from '../src/core/records/job.ts';
import type { FarmWatch } from './history/farm-watch.ts';
import type { JobLists } from './lists/job-lists.ts';
import type { TaskLists } from './lists/task-lists.ts';
import type { Commits } from './pipeline/response-cache.ts';
import type { TaskTails } from './log-follow/task-tails.ts';
import type { EventHub } from './ws/hub.ts';

/** What the front needs of the rest of the service. The composition root supplies it. */
export interface Ports {
  /** Committed state. Reads of one turn of the event loop see one state. */
  readonly store: StoreReader;
  readonly commits: Commits;
  readonly jobLists: Pick<JobLists, 'page' | 'counts' | 'dependents'>;
  readonly taskLists: Pick<TaskLists, 'open'>;
  /** How busy farms and workers were. */
  readonly history: Pick<FarmWatch, 'farm' | 'farmNow' | 'worker' | 'paused'>;
  readonly actors: Actors;
  /** Parses, validates and resolves a template, off this thread and with a deadline. */
  prepareJob(request: PreparationRequest): Promise<Preparation>;
  readonly largeJobs: LargeJobs;
  /** Each read sees all that was stored until then. */
  readonly logs: Pick<LogReader, 'page' | 'extent'>;
  readonly tails: Pick<TaskTails, 'follow'>;
  /** The events that clients follow. */
  readonly events: EventHub;
  readonly taskEvents: TaskEvents;
  readonly followedJobs: FollowedJobs;
  readonly health: HealthChecks;
  /** How much of the files of the stores is used. */
  storePages(): StorePages;
  /** Whether the service stops: what has begun ends, and nothing new is begun. */
  isStopping(): boolean;
  /** All metrics of the process in the Prometheus text format. */
  metrics(): Promise<string>;
  /** How busy the service is; at most a second old. */
  activity(): ServiceActivity;
  /** The total of a tally: online workers, claims of a usage pool by its slot (ports/tallies.ts). */
  tally(slot: number): number;
  /** Null when none are kept (docs/contract/rest.md#diagnostics). */
  diagnostics(): Pick<DiagnosticLog, 'records'> | null;
  readonly version: VersionFacts;
  /** False while the disk is too full for new jobs (docs/dependency-hazards.md#d2-a-full-disk-corrupts-memory). */
  acceptsSubmissions(): boolean;
  /** The server's own retry settings, at the head of the cascade. */
  readonly serverRetry: RetryPolicy;
  /** A new UUIDv7. */
  newId(): string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  steadyNow(): number;
  /** Resolves after a time, or at once when the signal aborts. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
  log(level: 'info' | 'warn' | 'error', text: string, attributes: Readonly<Record<string, string>>): void;
}

export interface Actors {
  /**
   * Sends the message that `make` builds and gives the actor's answer, after the commit that made it true. The message's reply address
   * fixes the type of the answer. Rejects when no answer will come.
   */
  ask<Answer>(make: (replyTo: ReplyTo<Outcome<Answer>>) => ServiceEnvelope): Promise<Outcome<Answer>>;
  /** Asks the farm to take in a large job (its message `job.submit`) without its plan being copied. */
  submitLarge(
    farm: FarmId,
    submission: Omit<JobSubmission, 'plan'>,
    plan: PlanInParts,
  ): Promise<Outcome<JobRecord>>;
}

export interface PreparationRequest {
  readonly text: string;
  readonly format: TemplateFormat;
  /** Values of job parameters by name, as the client gave them. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether the commands of the job's steps are wanted. */
  readonly previews: boolean;
}

export type Preparation =
  | { readonly ok: true; readonly job: PreparedJob; readonly previews: readonly StepPreview[] }
  | { readonly ok: false; readonly errors: readonly PointedError[] }
  /** The time for it was up: no verdict on the template. */
  | { readonly ok: false; readonly deadline: true }
  /** Too many templates wait already: it was not looked at. */
  | { readonly ok: false; readonly busy: true };

export interface PreparedJob {
  readonly plan: JobPlan;
  /** Rows that are stored before the job is, and the plan in parts: of a large job. */
  readonly large?: LargeJob;
  readonly description: string;
  readonly extensions: readonly string[];
}

/** Something about a task has changed that is in the store by now: its status, its job's status, or its log has grown. */
export type TaskEvent =
  | { readonly kind: 'status' | 'log'; readonly taskId: TaskId }
  | { readonly kind: 'job'; readonly jobId: JobId };

/** Of the tasks of a job that nobody follows, no event is said. */
export interface FollowedJobs {
  /** Somebody follows the job from now on. Gives the function that ends it; only its first call counts. */
  follow(job: JobId): () => void;
}

export interface TaskEvents {
  /** Calls `changed` at every event of the task or its job. Gives the function that ends the watch. */
  watch(task: TaskAddress, changed: () => void): () => void;
}

/** Each resolves when the part can be reached, and rejects with what is wrong. */
export interface HealthChecks {
  store(): Promise<void>;
  bus(): Promise<void>;
}

/** Pages of the file of a store; LMDB never makes a file smaller, and uses its free pages again. */
export interface FilePages {
  readonly fileBytes: number;
  readonly pageBytes: number;
  readonly usedPages: number;
  readonly freePages: number;
}

/** By store. */
export interface StorePages {
  readonly state: FilePages;
  readonly logs: FilePages;
}

/** docs/contract/rest.md#authentication-routes, GET /version. */
export interface VersionFacts {
  readonly version: string;
  readonly commit: string;
  readonly builtAt: string;
  readonly node: string;
}
