/**
 * A client of the service for scripts and tools of a pipeline: `import ... from 'callsheet/api'`. See docs/client-library.md.
 *
 * ```js
 * import { EventChannel, eventsUrl, Rest, waitForJob } from 'callsheet/api';
 *
 * const rest = new Rest({ base: 'http://127.0.0.1:8080' });
 * const events = new EventChannel({ url: eventsUrl(rest.base) });
 * const job = await waitForJob(rest, events, jobId);
 * events.close();
 * ```
 */
import { EventChannel as Channel, type EventChannelOptions } from '../events/channel.ts';
import { authorizationOf } from '../rest.ts';
import { connectWith } from './web-socket.ts';

export { ProblemError, ServiceUnreachable, UnreadableAnswer } from '../problem.ts';
export type { HttpAnswer, HttpFetch, HttpHeaders, HttpRequest } from '../http-fetch.ts';
export { Rest } from '../rest.ts';
export type { AnswerWithHeaders, RestOptions, StreamOptions, TaggedAnswer } from '../rest.ts';
export { auditEntries, signIn, signOut } from '../accounts.ts';
export type { AuditFilter, Credentials, SignedIn } from '../accounts.ts';
export { workerAttempts } from '../worker-attempts.ts';
export type { AttemptTimes } from '../worker-attempts.ts';
export type { AnswerOf, BodyOf, CallArguments, Method, PathOf, QueryOf, StreamLines } from '../rest-calls.ts';
export { eventsUrl } from '../events/channel.ts';
export type { Clock, ConnectionState, SubjectListener, SubscribeOptions } from '../events/channel.ts';
export type { Connect, SocketEvents, SocketLike } from '../events/socket.ts';
export { logsOf, tasksOf } from '../events/subjects.ts';
export type {
  DiagnosticEvent,
  EventOf,
  JobEvent,
  LogEvent,
  LogsSubject,
  OutageEvent,
  PayloadOf,
  Subject,
  TaskEvent,
  TasksSubject,
  WorkerEvent,
} from '../events/subjects.ts';
export { waitForJob } from '../events/wait-for-job.ts';
export type { WaitOptions } from '../events/wait-for-job.ts';
export type {
  ApiKey,
  ApiKeyInput,
  Attempt,
  AttemptList,
  AuditEntry,
  AuditOutcome,
  AuditPage,
  BulkProblem,
  BulkResult,
  BulkResults,
  CommandPreview,
  ComputeLocation,
  ComputeLocationInput,
  CoresGate,
  DependentPage,
  DiagnosticLevel,
  DiagnosticRecord,
  DiagnosticRecords,
  DryRun,
  DryRunStep,
  DryRunWorkers,
  EffectiveRetry,
  FailureSummary,
  Farm,
  FarmCapGate,
  FarmInput,
  Gate,
  HeldStepGate,
  IneligibleReason,
  Job,
  JobBulk,
  JobBulkFilter,
  JobCapGate,
  JobDetail,
  JobGate,
  JobOrder,
  JobPage,
  JobProduct,
  JobRetry,
  JobRetrySelection,
  JobSkip,
  JobSkipSelection,
  JobStatus,
  JobSummary,
  JobUpdate,
  LogChunk,
  LogPage,
  NamedResource,
  NearestMiss,
  NewApiKey,
  NewWebhook,
  NewWorkerToken,
  OrderGate,
  Page,
  PassedJob,
  PausedJobGate,
  PausedQueueGate,
  Permission,
  PointedError,
  Preset,
  PresetDetail,
  Principal,
  Problem,
  Product,
  ProductConstraints,
  ProductInput,
  ProductJobInput,
  ProductParameter,
  ProductReplacement,
  ProductRevision,
  ProductSource,
  ProductSummary,
  Queue,
  QueueCapGate,
  QueueInput,
  QueuePage,
  QueuePosition,
  QueueReplacement,
  QueueSettings,
  RejectedWorkers,
  RetryGate,
  Role,
  SchedulerGate,
  SlotHolder,
  Stats,
  Step,
  StepCapGate,
  StepList,
  StepHold,
  StepStatus,
  StorageLocation,
  StorageLocationInput,
  StorageRoots,
  Task,
  TaskBulk,
  TaskBulkFilter,
  TaskCancellation,
  TaskCounts,
  TaskExplanation,
  TaskGrid,
  TaskPage,
  TaskRetry,
  TaskSkip,
  TaskSkipNote,
  TaskStatus,
  UpstreamJobGate,
  UpstreamProgress,
  UpstreamStepGate,
  UsagePool,
  UsagePoolGate,
  UsagePoolInput,
  User,
  UserInput,
  UserUpdate,
  Version,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEventType,
  WebhookFormat,
  WebhookInput,
  WebhookReplacement,
  Worker,
  WorkerBulk,
  WorkerDisabling,
  WorkerBulkFilter,
  WorkerCredential,
  WorkerDetail,
  WorkerFailures,
  WorkerPage,
  WorkerRetry,
  WorkerStanding,
  WorkerStatus,
  WorkerStepFailures,
  WorkerToken,
  WorkerTokenInput,
  WorkerTokenStatus,
  WorkersGate,
  WorkersOutlook,
} from '../resources.ts';

export interface NodeChannelOptions extends EventChannelOptions {
  /** Sent with the request that opens a connection. */
  readonly headers?: Readonly<Record<string, string>>;
  /** API key, sent with the request that opens a connection. */
  readonly apiKey?: string;
}

/** Event channel of a service, with a WebSocket for Node. */
export class EventChannel extends Channel {
  constructor({ headers = {}, apiKey, ...options }: NodeChannelOptions) {
    super({ connect: connectWith({ ...headers, ...authorizationOf(apiKey) }), ...options });
  }
}
