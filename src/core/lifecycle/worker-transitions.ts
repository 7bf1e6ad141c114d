import type { WorkerStatus } from '../records/worker.ts';

/**
 * The worker's state machine as data: every status with everything that can happen to it (docs/contract/workers.md).
 * `from` null is a worker that the service does not know, `to` null one that is removed. What has no row does not
 * happen: it is refused, or says nothing new.
 */
export type WorkerTrigger =
  | 'register'
  | 'heartbeat'
  | 'deregister'
  /** It was not heard for a whole heartbeat timeout. */
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

/** Where a trigger takes a worker; it stays what it is when no row of the table says otherwise. */
export function nextWorkerStatus(
  from: WorkerStatus,
  trigger: Exclude<WorkerTrigger, DeleteTrigger>,
): WorkerStatus {
  return TARGETS.get(`${from} ${trigger}`) ?? from;
}

/** Whether a worker of this status may be deleted. */
export function mayDeleteWorker(from: WorkerStatus, trigger: DeleteTrigger): boolean {
  return TARGETS.get(`${from} ${trigger}`) === null;
}
