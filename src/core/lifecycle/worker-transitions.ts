import type { WorkerStatus } from '../records/worker.ts';

/**
 * The worker's state machine as data (docs/contract/workers.md). `from` null is an unknown worker, `to` null a deleted
 * one.
 *
 * - States: `online` gets tasks, `offline` sends no messages, `disabled` gets no tasks even if it is alive.
 * - Invariants: only rows of this table change the status. A trigger without a row is rejected or changes nothing.
 * - Exits: a worker can be deleted while it is `offline`, or `disabled` and silent.
 */
export type WorkerTrigger =
  | 'register'
  | 'heartbeat'
  | 'deregister'
  /** No message arrived for a whole heartbeat timeout. */
  | 'timeout'
  | 'disable'
  | 'enable while alive'
  | 'enable while silent'
  | 'delete while alive'
  | 'delete while silent';

export interface WorkerTransition {
  readonly from: WorkerStatus | null;
  readonly trigger: WorkerTrigger;
  readonly to: WorkerStatus | null;
}

export const WORKER_TRANSITIONS: readonly WorkerTransition[] = [
  { from: null, trigger: 'register', to: 'online' },
  { from: 'online', trigger: 'register', to: 'online' },
  { from: 'online', trigger: 'heartbeat', to: 'online' },
  { from: 'online', trigger: 'deregister', to: 'offline' },
  { from: 'online', trigger: 'timeout', to: 'offline' },
  { from: 'online', trigger: 'disable', to: 'disabled' },
  { from: 'online', trigger: 'enable while alive', to: 'online' },
  { from: 'online', trigger: 'enable while silent', to: 'online' },
  { from: 'offline', trigger: 'register', to: 'online' },
  { from: 'offline', trigger: 'heartbeat', to: 'online' },
  { from: 'offline', trigger: 'deregister', to: 'offline' },
  { from: 'offline', trigger: 'disable', to: 'disabled' },
  { from: 'offline', trigger: 'enable while alive', to: 'offline' },
  { from: 'offline', trigger: 'enable while silent', to: 'offline' },
  { from: 'offline', trigger: 'delete while alive', to: null },
  { from: 'offline', trigger: 'delete while silent', to: null },
  { from: 'disabled', trigger: 'register', to: 'disabled' },
  { from: 'disabled', trigger: 'heartbeat', to: 'disabled' },
  { from: 'disabled', trigger: 'deregister', to: 'disabled' },
  { from: 'disabled', trigger: 'timeout', to: 'disabled' },
  { from: 'disabled', trigger: 'disable', to: 'disabled' },
  { from: 'disabled', trigger: 'enable while alive', to: 'online' },
  { from: 'disabled', trigger: 'enable while silent', to: 'offline' },
  { from: 'disabled', trigger: 'delete while silent', to: null },
];

type DeleteTrigger = Extract<WorkerTrigger, 'delete while alive' | 'delete while silent'>;

const TARGETS: ReadonlyMap<string, WorkerStatus | null> = new Map(
  WORKER_TRANSITIONS.map((row) => [`${row.from ?? ''} ${row.trigger}`, row.to]),
);

/** Returns the next status of a worker. It stays unchanged if no row of the table matches. */
export function nextWorkerStatus(
  from: WorkerStatus,
  trigger: Exclude<WorkerTrigger, DeleteTrigger>,
): WorkerStatus {
  return TARGETS.get(`${from} ${trigger}`) ?? from;
}

/** Reports whether a worker of this status may be deleted. */
export function mayDeleteWorker(from: WorkerStatus, trigger: DeleteTrigger): boolean {
  return TARGETS.get(`${from} ${trigger}`) === null;
}
