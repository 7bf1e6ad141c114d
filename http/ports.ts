import type { RegexEngine } from '../src/openjd/expr/regex/regex-engine.ts';
import type { JobLink } from '../src/core/config/job-links.ts';
import type { ProductLibrary } from '../src/core/products/product-library.ts';
import type { DescribedParameter, TemplateDescription } from '../src/openjd/template/describe-template.ts';
import type { StepPreview } from '../src/openjd/template/preview-command.ts';
import type { JobSubmission } from '../actors/service/farm/messages.ts';
import type { ServiceEnvelope } from '../actors/service/service-messages.ts';
import type { ReplyTo } from '../actors/kernel/address.ts';
import type { BusStanding } from '../src/core/bus-identity/open-bus.ts';
import type { DiagnosticLog } from '../src/core/diagnostics/diagnostic-log.ts';
import type { BusReach } from '../src/core/discovery/bus-address.ts';
import type { Directory } from '../src/core/ports/directory.ts';
import type { Passwords } from '../src/core/ports/passwords.ts';
import type { Secrets } from '../src/core/ports/secrets.ts';
import type { FarmId, JobId } from '../src/core/ids.ts';
import type { RetryPolicy } from '../src/core/lifecycle/retry-policy.ts';
import type { ServiceActivity } from '../src/core/metrics/state-counts.ts';
import type { LargeJobs, LargeRows, PlanInParts } from '../src/core/ports/large-jobs.ts';
import type { LogReader } from '../src/core/ports/log-store.ts';
import type { StoreReader } from '../src/core/ports/store.ts';
import type { Outcome } from '../src/core/problems.ts';
import type { PointedError } from '../src/openjd/primitives/pointed-error.ts';
import type { RequestOrigin } from '../src/core/records/work-cause.ts';
import type { JoinTokenRecord } from '../src/core/records/join-token.ts';
import type { JobEnvironment, JobRecord, TemplateFormat, TemplateText } from '../src/core/records/job.ts';
import type { CookieSettings } from './accounts/session-cookie.ts';
import type { Audit } from './audit/audit.ts';
import type { FarmWatch } from './history/farm-watch.ts';
import type { JobLists } from './lists/job-lists.ts';
import type { ProductList } from './lists/product-list.ts';
import type { TaskLists } from './lists/task-lists.ts';
import type { OidcSignIn } from './sign-in/oidc-sign-in.ts';
import type { ClusterPorts } from './cluster/cluster-ports.ts';
import type { Commits } from './pipeline/response-cache.ts';
import type { TaskTails } from './log-follow/task-tails.ts';
import type { EventHub } from './ws/hub.ts';
import type { TaskEvents } from './log-follow/task-events.ts';

/** Services that the REST API and the event channel use. The composition root supplies them. */
export interface Ports {
  /** Committed state. Reads of one turn of the event loop see the same state. */
  readonly store: StoreReader;
  readonly commits: Commits;
  readonly jobLists: Pick<JobLists, 'page' | 'counts' | 'countsByQueue' | 'dependents'>;
  readonly taskLists: Pick<TaskLists, 'open'>;
  /** Load history of farms and workers. */
  readonly history: Pick<
    FarmWatch,
    'farm' | 'farmNow' | 'worker' | 'pool' | 'paused' | 'tasksOf' | 'queueLoads'
  >;
  readonly actors: Actors;
  /** Null for a single node. */
  readonly cluster: ClusterPorts | null;
  readonly passwords: Passwords;
  /** Checks passwords of names without a local account; null if there is none. */
  readonly directory: Pick<Directory, 'authenticate'> | null;
  readonly secrets: Secrets;
  readonly workerTokens: WorkerTokens;
  readonly webhooks: WebhookPorts;
  readonly auth: AuthSettings;
  /** Sign-in by a provider; null if it is off (`auth.oidc.enabled`) or authentication is off. */
  readonly oidc: Pick<OidcSignIn, 'begin' | 'finish' | 'logoutUrl'> | null;
  /** Null while authentication is off: nothing is recorded then. */
  readonly audit: Audit | null;
  /** Parses, validates and resolves a template on another thread, with a deadline. */
  prepareJob(request: PreparationRequest): Promise<Preparation>;
  /** Checks and describes a template like `prepareJob`, without values. */
  describeTemplate(request: {
    readonly client: string;
    readonly text: string;
    readonly format: TemplateFormat;
  }): Promise<Description>;
  /** Checks an environment template of a queue with the others, and describes the parameters of all. */
  describeEnvironments(request: EnvironmentsRequest): Promise<EnvironmentsDescription>;
  readonly products: ProductLibrary;
  readonly productList: Pick<ProductList, 'bytes' | 'changed'>;
  readonly largeJobs: LargeJobs;
  /** Each read sees everything that was stored before. */
  readonly logs: Pick<
    LogReader,
    'page' | 'extent' | 'markBefore' | 'previews' | 'jobPreviews' | 'newestPreview'
  >;
  readonly tails: Pick<TaskTails, 'follow'>;
  /** Events that clients subscribe to. */
  readonly events: EventHub;
  readonly taskEvents: TaskEvents;
  readonly followedJobs: FollowedJobs;
  readonly health: HealthChecks;
  /** Returns the usage of the store files. */
  storePages(): StorePages;
  /** Reports whether the service is stopping: requests in progress finish, new ones are rejected. */
  isStopping(): boolean;
  /** Returns all metrics of the process in the Prometheus text format. */
  metrics(): Promise<string>;
  /** Returns the load of the service, at most one second old. */
  activity(): ServiceActivity;
  /** Returns the total of a tally: online workers, or claims of a usage pool, by slot (ports/tallies.ts). */
  tally(slot: number): number;
  /** Null if no diagnostics are kept (docs/contract/rest.md#diagnostics). */
  diagnostics(): Pick<DiagnosticLog, 'records'> | null;
  readonly version: VersionFacts;
  settings(): ServiceFacts;
  /** Returns what is known about clients without credentials on the bus. It changes without a commit. */
  busStanding(): BusStanding;
  /** False while the disk is too full for new jobs (docs/dependency-hazards.md#d2-a-full-disk-corrupts-memory). */
  acceptsSubmissions(): boolean;
  /** Retry settings of the server, the first level of the cascade. */
  readonly serverRetry: RetryPolicy;
  /** Checks the patterns of retry rules. */
  readonly regex: RegexEngine;
  /** Returns a new UUIDv7. */
  newId(): string;
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds of a clock that never goes back. */
  steadyNow(): number;
  /** Resolves after a time, or at once when the signal aborts. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
  log(level: 'info' | 'warn' | 'error', text: string, attributes: Readonly<Record<string, string>>): void;
}

/** Join tokens of workers (docs/decisions/bus-identity.md); with a reason if the bus has no such credentials. */
export type WorkerTokens =
  | { readonly isOn: false; readonly reason: string }
  | {
      readonly isOn: true;
      /** Returns the text with which a worker joins. */
      textOf(token: JoinTokenRecord, secret: string): Promise<string>;
    };

/** Rules of webhooks that depend on the configuration (docs/webhooks.md). */
export interface WebhookPorts {
  /** Returns why a webhook cannot have a URL; null if it can. */
  urlFault(url: string): string | null;
  /** Returns the formats of bodies. */
  formats(): Promise<readonly { readonly name: string; readonly title: string }[]>;
}

export interface Actors {
  /**
   * Sends the message that `make` builds and resolves with the actor's reply, after its commit. The reply
   * address fixes the type of the reply. Rejects if no reply will come. `origin`: the request that leads to it.
   */
  ask<Answer>(
    make: (replyTo: ReplyTo<Outcome<Answer>>) => ServiceEnvelope,
    origin?: RequestOrigin,
  ): Promise<Outcome<Answer>>;
  /** Sends a message that has no reply. */
  tell(envelope: ServiceEnvelope): void;
  /** Submits a job to its farm (message `job.submit`) without copying the bodies of its steps. */
  submit(
    farm: FarmId,
    submission: Omit<JobSubmission, 'plan'>,
    plan: PlanInParts,
    origin?: RequestOrigin,
  ): Promise<Outcome<JobRecord>>;
}

/** Settings of authentication (docs/contract/authentication.md). */
export interface AuthSettings extends CookieSettings {
  /** False: every request is an anonymous superuser. */
  readonly enabled: boolean;
  readonly validateJobOwner: boolean;
  readonly slowsFailedLogins: boolean;
  /** Minimum length of a new password in characters. */
  readonly passwordLengthMin: number;
}

export interface PreparationRequest {
  /** Address that the template counts for. */
  readonly client: string;
  readonly text: string;
  readonly format: TemplateFormat;
  /** Replaces the job name of the template, unless empty. */
  readonly jobName: string;
  /** Values of job parameters by name, as the client sent them. */
  readonly values: Readonly<Record<string, string>>;
  /** Values of an earlier job: they apply where there is such a parameter and no other value. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Environment templates of the job, the outermost first. */
  readonly environments: readonly Omit<JobEnvironment, 'name'>[];
  /** True if the commands of the job's steps are requested. */
  readonly previews: boolean;
}

export type Preparation =
  | { readonly ok: true; readonly job: PreparedJob; readonly previews: readonly StepPreview[] }
  | { readonly ok: false; readonly errors: readonly PointedError[] }
  | Unevaluated;

export type Description =
  | { readonly ok: true; readonly description: TemplateDescription }
  | { readonly ok: false; readonly errors: readonly PointedError[] }
  | Unevaluated;

export interface EnvironmentsRequest {
  readonly client: string;
  /** In the order in which they are entered. */
  readonly environments: readonly TemplateText[];
  /** Index of the one that is checked; null if all are stored. */
  readonly subject: number | null;
}

export type EnvironmentsDescription =
  | { readonly ok: true; readonly name: string; readonly parameters: readonly DescribedParameter[] }
  | { readonly ok: false; readonly errors: readonly PointedError[] }
  | Unevaluated;

/** No verdict on a template. */
export type Unevaluated =
  /** The time for it was up. */
  | { readonly ok: false; readonly deadline: true }
  /** Too many templates wait already, of this client or of all, or it waited too long: it was not looked at. */
  | { readonly ok: false; readonly busy: 'client' | 'service' };

export interface PreparedJob {
  readonly plan: PlanInParts;
  /** Plan and template of a large job, which are stored before it; null for another job. */
  readonly rows: LargeRows | null;
  readonly description: string;
  readonly extensions: readonly string[];
  readonly environments: readonly JobEnvironment[];
}

/** Limits task events to jobs with subscribers. */
export interface FollowedJobs {
  /** Starts task events of the job. Returns a function that ends them; only its first call has an effect. */
  follow(job: JobId): () => void;
}

/** Each resolves if the component is available, and rejects with the reason if it is not. */
export interface HealthChecks {
  store(): Promise<void>;
  bus(): Promise<void>;
}

/** Settings of the service that clients see. */
export interface ServiceFacts {
  readonly bus: BusReach;
  /** True if the service runs its own nats-server. */
  readonly isBusManaged: boolean;
  readonly heartbeatTimeoutMs: number;
  readonly reclaimAfterMs: number;
  /** Links on the page of a job. */
  readonly jobLinks: readonly JobLink[];
}

/** Pages of a store file. LMDB never shrinks a file, but reuses its free pages. */
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
