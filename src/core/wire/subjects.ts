import type { FarmId, JobId, QueueId, TaskId, WorkerId } from '../ids.ts';

/** The subjects of docs/contract/bus.md. */
export const ANY_QUEUE = '_any';

export const subjects = {
  lease: (queue: QueueId | typeof ANY_QUEUE): string => `work.lease.${queue}`,
  leases: 'work.lease.*',
  status: (job: JobId): string => `task.status.${job}`,
  statuses: 'task.status.*',
  logs: (task: TaskId): string => `task.logs.${task}`,
  allLogs: 'task.logs.*',
  cancel: (task: TaskId): string => `task.cancel.${task}`,
  cancels: 'task.cancel.*',
  register: 'worker.register',
  heartbeat: 'worker.heartbeat',
  deregister: 'worker.deregister',
  presence: 'worker.*',
  /** Only the service subscribes to it, and it never replies (docs/decisions/outages.md). */
  present: (farm: FarmId): string => `service.present.${farm}`,
  allPresent: 'service.present.*',
  diagnostics: (worker: WorkerId): string => `worker.diag.${worker}`,
  allDiagnostics: 'worker.diag.*',
} as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface StreamDefinition {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly retentionMs: number;
}

/** Returns subjects without and with the worker (docs/bus-identity.md#subjects). */
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

/** Returns the last token of a subject: the id that it is about. */
export const lastToken = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);
