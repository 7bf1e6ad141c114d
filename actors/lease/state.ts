import type { FarmId, JobId, WorkerId } from '../../src/core/ids.ts';
import { farmId, jobId } from '../../src/core/ids.ts';
import { ParkedRequests } from '../../src/core/lease/parked-requests.ts';
import type { ParkedRequest } from '../../src/core/lease/parked-requests.ts';
import { ReadyIndex, type TakenTasks } from '../../src/core/lease/ready-index.ts';
import type { WorkerOffer } from '../../src/core/lease/worker-offer.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import type { Assignment, StepAssignment } from '../../src/core/wire/bus-messages.ts';

/** A worker as the lease sees it. */
export interface LeaseWorker {
  readonly offer: WorkerOffer;
  readonly incarnation: string;
  /** Whether it may be handed new work. */
  readonly isOnline: boolean;
  committedCores: number;
}

/** A lease whose tasks are being taken by their jobs: it lives within one commit. */
export interface PendingLease {
  readonly request: ParkedRequest;
  /** Picks that their jobs have not answered yet. */
  readonly outstanding: TakenTasks[];
  readonly assignments: Assignment[];
  readonly steps: Record<string, StepAssignment>;
}

export interface LeaseState {
  readonly farmId: FarmId;
  readonly index: ReadyIndex;
  readonly parked: ParkedRequests;
  readonly workers: Map<WorkerId, LeaseWorker>;
  readonly pending: Map<string, PendingLease>;
  pools: readonly UsagePoolRecord[];
  isRemoved: boolean;
  /** What must be asked for its offers when the actor starts. */
  readonly activeJobs: readonly JobId[];
  readonly knownWorkers: readonly WorkerId[];
}

export function newLeaseState(farm: FarmId): LeaseState {
  return {
    farmId: farm,
    index: new ReadyIndex(),
    parked: new ParkedRequests(),
    workers: new Map(),
    pending: new Map(),
    pools: [],
    isRemoved: false,
    activeJobs: [],
    knownWorkers: [],
  };
}

/** The caps of farm and queues from the store, and who is to be asked for the rest. */
export function loadLease(id: string, reader: StoreReader): LeaseState | null {
  const farm = reader.get('farm', id);
  if (farm === undefined) return null;
  const prefix = keys.activeJobsOf(farm.id);
  const state: LeaseState = {
    ...newLeaseState(farmId(id)),
    pools: [...reader.scan('usagePool')].map((row) => row.value),
    activeJobs: [...reader.scan('activeJob', { prefix })].map((row) => jobId(row.key.slice(prefix.length))),
    knownWorkers: [...reader.scan('worker')].flatMap((row) =>
      row.value.farmId === farm.id ? [row.value.id] : [],
    ),
  };
  state.index.limitFarm(farm.maxConcurrentTasks);
  for (const { value: queue } of reader.scan('queue')) {
    if (queue.farmId === farm.id) state.index.limitQueue(queue.id, queue.maxConcurrentTasks, queue.paused);
  }
  return state;
}
