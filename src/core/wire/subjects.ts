import {
  isUuid,
  workerId,
  type FarmId,
  type JobId,
  type QueueId,
  type TaskId,
  type WorkerId,
} from '../ids.ts';

export const ANY_QUEUE = '_any';

const PREVIEW_PREFIX = 'preview-';

/** The subjects of docs/contract/bus.md. */
export const subjects = {
  lease: (queue: QueueId | typeof ANY_QUEUE): string => `work.lease.${queue}`,
  leases: 'work.lease.*',
  status: (job: JobId): string => `task.status.${job}`,
  statuses: 'task.status.*',
  logs: (task: TaskId): string => `task.logs.${task}`,
  allLogs: 'task.logs.*',
  /** In the stream of the logs, so that the permissions and bounds of logs apply. */
  previews: (task: TaskId): string => `task.logs.${PREVIEW_PREFIX}${task}`,
  cancel: (task: TaskId): string => `task.cancel.${task}`,
  cancels: 'task.cancel.*',
  register: 'worker.register',
  heartbeat: 'worker.heartbeat',
  deregister: 'worker.deregister',
  presence: 'worker.*',
  /** Only the service subscribes to it, and it never replies (docs/decisions/outages.md). */
  present: (farm: FarmId): string => `service.present.${farm}`,
  allPresent: 'service.present.*',
  /** A node of a cluster announces that it has taken over the farms. */
  owner: 'service.owner',
  diagnostics: (worker: WorkerId): string => `worker.diag.${worker}`,
  allDiagnostics: 'worker.diag.*',
} as const;

/** Subjects that one worker uses. */
export interface WorkerSubjects {
  readonly lease: (queue: QueueId | typeof ANY_QUEUE) => string;
  readonly status: (job: JobId) => string;
  readonly logs: (task: TaskId) => string;
  readonly previews: (task: TaskId) => string;
  readonly cancel: (task: TaskId) => string;
  readonly register: string;
  readonly heartbeat: string;
  readonly deregister: string;
}

/**
 * Returns the subjects of a worker on a bus with authentication: the worker is the last token, so that a credential can be
 * limited to it (docs/contract/bus.md#with-authentication).
 */
export const scopedSubjects = (worker: WorkerId): WorkerSubjects => ({
  lease: (queue) => `${subjects.lease(queue)}.${worker}`,
  status: (job) => `${subjects.status(job)}.${worker}`,
  logs: (task) => `${subjects.logs(task)}.${worker}`,
  previews: (task) => `${subjects.previews(task)}.${worker}`,
  cancel: (task) => `${subjects.cancel(task)}.${worker}`,
  register: `${subjects.register}.${worker}`,
  heartbeat: `${subjects.heartbeat}.${worker}`,
  deregister: `${subjects.deregister}.${worker}`,
});

/** Returns the pattern of the lease requests of all workers. */
export const leaseRequests = (isScoped: boolean): string =>
  isScoped ? `${subjects.leases}.*` : subjects.leases;

/** Root of the inboxes of a worker with a credential; a random token of this start follows. */
export const inboxRootOf = (worker: WorkerId): string => `${INBOX_ROOT}.${worker}`;
export const INBOX_ROOT = '_INBOX';
/** Root of the inboxes of the service: no worker may subscribe to it. */
export const SERVICE_INBOX_ROOT = '_SERVICE';

/** A subject of a worker's message, of either form. */
export interface WorkerSubject {
  /** The token that names what the message is about: a queue, a job, a task, or the type of a presence message. */
  readonly about: string;
  /** The worker of a scoped subject; null in the form of the contract. */
  readonly worker: WorkerId | null;
}

/** Number of tokens before `about`. */
const ABOUT = { lease: 2, status: 2, logs: 2, presence: 1 } as const;

/** Parses the subject of a message of this kind; null if it has another number of tokens or an invalid worker. */
export function parseWorkerSubject(kind: keyof typeof ABOUT, subject: string): WorkerSubject | null {
  const tokens = subject.split('.');
  const at = ABOUT[kind];
  const [about, worker, ...others] = tokens.slice(at);
  if (about === undefined || about === '' || others.length > 0) return null;
  if (worker === undefined) return { about, worker: null };
  return isUuid(worker) ? { about, worker: workerId(worker) } : null;
}

/** Returns the task of the subject of a preview; null for a subject of a log chunk. */
export const previewedTask = (about: string): string | null =>
  about.startsWith(PREVIEW_PREFIX) ? about.slice(PREVIEW_PREFIX.length) : null;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface StreamDefinition {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly retentionMs: number;
}

/** Returns subjects without and with the worker (docs/contract/bus.md#with-authentication). */
const bothForms = (...plain: readonly string[]): readonly string[] => [
  ...plain,
  ...plain.map((subject) => `${subject}.*`),
];

/** The persistent streams with the retention of the contract. */
export const STREAMS = {
  status: { name: 'CALLSHEET_STATUS', subjects: bothForms(subjects.statuses), retentionMs: 24 * HOUR_MS },
  logs: { name: 'CALLSHEET_LOGS', subjects: bothForms(subjects.allLogs), retentionMs: 96 * HOUR_MS },
  cancel: { name: 'CALLSHEET_CANCEL', subjects: bothForms(subjects.cancels), retentionMs: 5 * MINUTE_MS },
  presence: {
    name: 'CALLSHEET_PRESENCE',
    subjects: bothForms(subjects.register, subjects.heartbeat, subjects.deregister),
    retentionMs: 2 * MINUTE_MS,
  },
} as const satisfies Record<string, StreamDefinition>;

/** Returns the subject of a direct request for the newest message with this subject in a stream. */
export const directGet = (stream: string, subject: string): string =>
  `$JS.API.DIRECT.GET.${stream}.${subject}`;

/** Returns the last token of a subject: the id that it is about. */
export const lastToken = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);
