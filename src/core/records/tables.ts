import {
  farmId,
  jobId,
  type AttemptAddress,
  type FarmId,
  type JobId,
  type QueueId,
  type TaskAddress,
  type WorkerId,
} from '../ids.ts';
import type { TerminalJobStatus } from '../lifecycle/job-transitions.ts';
import type { JobPlan } from '../../openjd/template/plan.ts';
import type { ApiKeyRecord, UserApiKeyRecord } from './api-key.ts';
import type { AttemptRecord } from './attempt.ts';
import type { AuditBudget, AuditDecisionRecord, AuditEntryRecord } from './audit-entry.ts';
import type { ComputeLocationRecord } from './compute-location.ts';
import { MINUTE_MS, SAMPLES_MAX } from '../history/farm-samples.ts';
import type { FarmSampleRecord } from './farm-sample.ts';
import type { FarmRecord } from './farm.ts';
import type { OutagesRecord } from '../outages/outage.ts';
import type { IdempotencyKeyRecord } from './idempotency-key.ts';
import type { JobRecord, TemplateRecord } from './job.ts';
import type { JoinTokenRecord } from './join-token.ts';
import type { ProductRecord } from './product.ts';
import type { QueueEnvironmentRecord } from './queue-environment.ts';
import type { ShareUsageRecord } from './queue-policy.ts';
import type { QueueRecord } from './queue.ts';
import type { SessionRecord } from './session.ts';
import type { StepFailuresRecord, WorkerFailuresRecord } from './step-failures.ts';
import type { StepRecord } from './step.ts';
import type { StorageLocationRecord } from './storage-location.ts';
import { pageOf } from './task-page.ts';
import type { TaskOutputRecord } from './task-output.ts';
import type { TaskRulesRecord } from './task-rules.ts';
import type { TaskTextRecord } from './task-text.ts';
import type { UsagePoolRecord } from './usage-pool.ts';
import { usernameKey, type UserRecord, type UsernameRecord } from './user.ts';
import type { NoticeRecord, WebhookDeliveryRecord, WebhookRecord } from './webhook.ts';
import type { WorkerAttemptRecord } from './worker-attempt.ts';
import type { WorkerCredentialRecord } from './worker-credential.ts';
import type { WorkerEvidenceRecord } from './worker-evidence.ts';
import type { WaitingStepRecord } from './waiting-step.ts';
import type { BookingRecord, WorkerRecord } from './worker.ts';

/** The tables of the state store with the types of their rows. Keys are strings built only by `keys`. */
export interface Tables {
  farm: FarmRecord;
  queue: QueueRecord;
  job: JobRecord;
  /** The jobs of a farm that are not terminal: the farm loads them at its start. */
  activeJob: { readonly version: 1 };
  /** Immutable: the resolved template of the job. */
  plan: JobPlan;
  template: TemplateRecord;
  step: StepRecord;
  /** A packed page (task-page.ts). */
  taskPage: Uint8Array;
  taskText: TaskTextRecord;
  attempt: AttemptRecord;
  /** Of attempts that have named outputs, under the keys of their rows in `attempt`. */
  taskOutput: TaskOutputRecord;
  worker: WorkerRecord;
  booking: BookingRecord;
  /** Worker ids by ordinal. A row outlives its worker, because packed task records contain ordinals. */
  workerOrdinal: { readonly version: 1; readonly workerId: WorkerId };
  usagePool: UsagePoolRecord;
  computeLocation: ComputeLocationRecord;
  /** Failures of a step by worker. */
  stepFailures: StepFailuresRecord;
  workerFailures: WorkerFailuresRecord;
  /** Terminal jobs by the time of their end, for the retention sweep. */
  endedJob: { readonly version: 1 };
  /** Deleted jobs with rows that are still to be removed. */
  doomedJob: { readonly version: 1; readonly farmId: FarmId };
  /** Replies to submissions with an idempotency key, by the day of the request. */
  idempotencyKey: IdempotencyKeyRecord;
  storageLocation: StorageLocationRecord;
  /** Jobs that are not created yet, but whose plan and template are already stored (docs/decisions/large-jobs.md). */
  comingJob: { readonly version: 1 };
  /** Load of a farm in the last day, by the minute of the day: at most SAMPLES_MAX rows for each farm. */
  farmSample: FarmSampleRecord;
  user: UserRecord;
  /** Accounts by name, for logins. */
  username: UsernameRecord;
  /** By the digest of the token. */
  session: SessionRecord;
  /** By the digest of the raw key. */
  apiKey: ApiKeyRecord;
  /** The keys of an account. */
  userApiKey: UserApiKeyRecord;
  /** Denied requests, changes by people and decisions of the service, in the order of time within each budget. */
  auditEntry: AuditEntryRecord;
  /** By name. */
  product: ProductRecord;
  /** The latest revisions of each product, with the present one. */
  productRevision: ProductRecord;
  /** Tokens with which workers join, by id. */
  joinToken: JoinTokenRecord;
  /** Credentials on the bus, by the id of the worker. */
  workerCredential: WorkerCredentialRecord;
  webhook: WebhookRecord;
  /** Pending deliveries of a webhook, and the latest ended ones. */
  webhookDelivery: WebhookDeliveryRecord;
  /** The events of pending deliveries, under the same keys. */
  webhookEvent: NoticeRecord;
  /** Events that are not queued for the webhooks yet. */
  notice: NoticeRecord;
  /** Closed attempts by worker and end. */
  workerAttempt: WorkerAttemptRecord;
  /** Environment templates of a queue, by queue and id. */
  queueEnvironment: QueueEnvironmentRecord;
  /** Of tasks that retry rules have applied to. */
  taskRules: TaskRulesRecord;
  /** Usage of owners, projects or queues, by farm and name (docs/policy.md#queue-policies). */
  shareUsage: ShareUsageRecord;
  /** Of workers whose failures may be their own fault. */
  workerEvidence: WorkerEvidenceRecord;
  /** Of farms with lasting or recent outages, by farm (docs/outages.md). */
  farmOutages: OutagesRecord;
  /** Decisions of the service that the audit log does not have yet, by id. */
  auditDecision: AuditDecisionRecord;
  /** Of steps that were overtaken or have a reserved worker, by farm and step (docs/decisions/reservation.md). */
  waitingStep: WaitingStepRecord;
}

export type TableName = keyof Tables;

/** In the order of their numbers in an encoded change set: append only. */
export const TABLE_NAMES = [
  'farm',
  'queue',
  'job',
  'plan',
  'template',
  'step',
  'taskPage',
  'taskText',
  'attempt',
  'worker',
  'booking',
  'workerOrdinal',
  'activeJob',
  'usagePool',
  'computeLocation',
  'stepFailures',
  'workerFailures',
  'endedJob',
  'doomedJob',
  'idempotencyKey',
  'storageLocation',
  'comingJob',
  'farmSample',
  'user',
  'username',
  'session',
  'apiKey',
  'userApiKey',
  'auditEntry',
  'product',
  'productRevision',
  'joinToken',
  'workerCredential',
  'webhook',
  'webhookDelivery',
  'webhookEvent',
  'notice',
  'taskOutput',
  'workerAttempt',
  'queueEnvironment',
  'taskRules',
  'shareUsage',
  'workerEvidence',
  'farmOutages',
  'auditDecision',
  'waitingStep',
] as const satisfies readonly TableName[];

const ZEROS = '0'.repeat(16);
const padded = (value: number, width: number): string => {
  const digits = String(value);
  return digits.length >= width ? digits : ZEROS.slice(0, width - digits.length) + digits;
};
const STEP_DIGITS = 5;
const INDEX_DIGITS = 10;
const ATTEMPT_DIGITS = 7;
const TIME_DIGITS = 15;
const DAY_DIGITS = 7;
const MINUTE_DIGITS = 4;
const DAY_MS = 86_400_000;

/** End of a job, as far as retention distinguishes it. */
export type Ending = 'completed' | 'failed';
const endingOf = (status: TerminalJobStatus): Ending => (status === 'completed' ? 'completed' : 'failed');

/** The latest step prefix: a turn of a job writes many keys of one step. */
let lastStep = { job: '', order: -1, prefix: '' };
function stepPrefix(job: JobId, order: number): string {
  if (job !== lastStep.job || order !== lastStep.order)
    lastStep = { job, order, prefix: `${job}/${padded(order, STEP_DIGITS)}` };
  return lastStep.prefix;
}
const taskKey = (task: TaskAddress): string =>
  `${stepPrefix(task.jobId, task.stepOrder)}/${padded(task.index, INDEX_DIGITS)}`;

/** Keys of the store. Numbers are padded, so that the order of keys is the order of numbers. */
export const keys = {
  farm: (id: FarmId): string => id,
  queue: (id: QueueId): string => id,
  queueEnvironment: (queue: QueueId, id: string): string => `${keys.queueEnvironmentsOf(queue)}${id}`,
  queueEnvironmentsOf: (queue: QueueId): string => `${queue}/`,
  job: (id: JobId): string => id,
  activeJob: (farm: FarmId, id: JobId): string => `${farm}/${id}`,
  activeJobsOf: (farm: FarmId): string => `${farm}/`,
  plan: (id: JobId): string => id,
  template: (id: JobId): string => id,
  step: (job: JobId, order: number): string => stepPrefix(job, order),
  stepsOf: (job: JobId): string => `${job}/`,
  taskPage: (job: JobId, order: number, page: number): string =>
    `${stepPrefix(job, order)}/${padded(page, INDEX_DIGITS)}`,
  taskPageOf: (task: TaskAddress): string => keys.taskPage(task.jobId, task.stepOrder, pageOf(task.index)),
  taskPagesOf: (job: JobId, order: number): string => `${stepPrefix(job, order)}/`,
  taskText: taskKey,
  taskRules: taskKey,
  taskRulesOf: (job: JobId, order: number): string => `${stepPrefix(job, order)}/`,
  taskTextsOf: (job: JobId): string => `${job}/`,
  /** Prefix of all keys of a job's numerous rows: pages, texts, attempts, failures. */
  bulkOf: (job: JobId): string => `${job}/`,
  attempt: (task: TaskAddress, attemptNumber: number): string =>
    `${taskKey(task)}/${padded(attemptNumber, ATTEMPT_DIGITS)}`,
  attemptsOf: (task: TaskAddress): string => `${taskKey(task)}/`,
  workerAttempt: (worker: WorkerId, endedAt: number, first: AttemptAddress): string =>
    `${worker}/${padded(endedAt, TIME_DIGITS)}/${keys.attempt(first, first.attemptNumber)}`,
  workerAttemptsOf: (worker: WorkerId): string => `${worker}/`,
  usagePool: (id: string): string => id,
  computeLocation: (id: string): string => id,
  stepFailures: (job: JobId, order: number, worker: WorkerId): string =>
    `${stepPrefix(job, order)}/${worker}`,
  stepFailuresOf: (job: JobId, order: number): string => `${stepPrefix(job, order)}/`,
  workerFailures: (id: WorkerId): string => id,
  workerEvidence: (id: WorkerId): string => id,
  farmOutages: (id: FarmId): string => id,
  waitingStep: (farm: FarmId, job: JobId, order: number): string =>
    `${keys.waitingStepsOf(farm)}${stepPrefix(job, order)}`,
  waitingStepsOf: (farm: FarmId): string => `${farm}/`,
  /** Completed jobs are separate from failed and canceled ones, which may be kept forever. */
  endedJob: (farm: FarmId, status: TerminalJobStatus, endedAt: number, id: JobId): string =>
    `${keys.endedJobsOf(farm, endingOf(status))}${padded(endedAt, TIME_DIGITS)}/${id}`,
  endedJobsOf: (farm: FarmId, ending: Ending): string => `${farm}/${ending}/`,
  /** Above every key of the farm's ended jobs, and below those of the next farm. */
  afterEndedJobs: (farm: FarmId): string => `${farm}/~`,
  doomedJob: (id: JobId): string => id,
  comingJob: (id: JobId): string => id,
  /** `digest` identifies a principal with one of its keys; `at` is the time of the request. */
  idempotencyKey: (at: number, digest: string): string =>
    `${padded(Math.floor(at / DAY_MS), DAY_DIGITS)}/${digest}`,
  /** The key of a request on the day before, which may still be valid. */
  idempotencyKeyBefore: (at: number, digest: string): string => keys.idempotencyKey(at - DAY_MS, digest),
  storageLocation: (id: string): string => id,
  /** `at` is the end of the minute. */
  farmSample: (farm: FarmId, at: number): string =>
    `${farm}/${padded(Math.round(at / MINUTE_MS) % SAMPLES_MAX, MINUTE_DIGITS)}`,
  farmSamplesOf: (farm: FarmId): string => `${farm}/`,
  shareUsage: (farm: FarmId, sharer: string): string => `${keys.shareUsageOf(farm)}${sharer}`,
  shareUsageOf: (farm: FarmId): string => `${farm}/`,
  user: (id: string): string => id,
  username: (username: string): string => usernameKey(username),
  session: (digest: string): string => digest,
  apiKey: (digest: string): string => digest,
  userApiKey: (userId: string, keyId: string): string => `${userId}/${keyId}`,
  userApiKeysOf: (userId: string): string => `${userId}/`,
  /** `id` is a UUIDv7, or a text before or after all ids of a time. */
  auditEntry: (budget: AuditBudget, id: string): string => `${budget}/${id}`,
  /** UUIDv7: in the order of time. */
  auditDecision: (id: string): string => id,
  auditEntriesOf: (budget: AuditBudget): string => `${budget}/`,
  product: (name: string): string => name,
  productRevision: (name: string, revision: number): string =>
    `${keys.productRevisionsOf(name)}${padded(revision, INDEX_DIGITS)}`,
  /** A space, which no name has: `a/` would also be a prefix of product `a/b`. */
  productRevisionsOf: (name: string): string => `${name} `,
  joinToken: (id: string): string => id,
  workerCredential: (id: WorkerId): string => id,
  webhook: (id: string): string => id,
  webhookDelivery: (webhook: string, id: string): string => `${keys.webhookDeliveriesOf(webhook)}${id}`,
  webhookDeliveriesOf: (webhook: string): string => `${webhook}/`,
  /** UUIDv7: in the order of time. */
  notice: (id: string): string => id,
  worker: (id: WorkerId): string => id,
  booking: (id: WorkerId): string => id,
  workerOrdinal: (farm: FarmId, ordinal: number): string => `${farm}/${padded(ordinal, INDEX_DIGITS)}`,
  workerOrdinalsOf: (farm: FarmId): string => `${farm}/`,
} as const;

/** Returns the number at the end of the key of a task page or worker ordinal. */
export const lastNumberOfKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1));

/** Returns the id in the key of an audit entry. */
export const idOfAuditKey = (key: string): string => key.slice(key.indexOf('/') + 1);

/** Returns the day of an idempotency key's request, in days since the epoch. */
export const dayOfIdempotencyKey = (key: string): number => Number(key.slice(0, DAY_DIGITS));

/** Returns the task in the key of a task text. */
export function taskOfTextKey(key: string): TaskAddress {
  const [job = '', order, index] = key.split('/');
  return { jobId: jobId(job), stepOrder: Number(order), index: Number(index) };
}

/** Returns the step in the key of a waiting step. */
export function stepOfWaitingKey(key: string): { readonly jobId: JobId; readonly stepOrder: number } {
  const [, job = '', order] = key.split('/');
  return { jobId: jobId(job), stepOrder: Number(order) };
}

/** Returns the attempt in the key of an attempt or of its outputs. */
export const attemptOfKey = (key: string): AttemptAddress => ({
  ...taskOfTextKey(key),
  attemptNumber: lastNumberOfKey(key),
});

/** Returns the attempt and its end in the key of an index entry. */
export function endOfEntryKey(key: string): {
  readonly endedAt: number;
  readonly attempt: AttemptAddress;
} {
  const endAt = key.indexOf('/') + 1;
  const attemptAt = endAt + TIME_DIGITS + 1;
  return { endedAt: Number(key.slice(endAt, attemptAt - 1)), attempt: attemptOfKey(key.slice(attemptAt)) };
}

/** Returns the farm, job and time in the key of an ended job. */
export function endedJobOfKey(key: string): {
  readonly farmId: FarmId;
  readonly endedAt: number;
  readonly jobId: JobId;
} {
  const [farm = '', , endedAt, job = ''] = key.split('/');
  return { farmId: farmId(farm), endedAt: Number(endedAt), jobId: jobId(job) };
}
