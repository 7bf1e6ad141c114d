import type { FarmId, JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import { farmId, jobId } from '../../../src/core/ids.ts';
import { PathMaps } from '../../../src/core/delivery/path-map.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { ParkedRequests } from '../../../src/core/lease/parked-requests.ts';
import { ReadyIndex } from '../../../src/core/lease/ready-index.ts';
import { WorkerKinds } from '../../../src/core/lease/worker-kinds.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { Tallies } from '../../../src/core/ports/tallies.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { isolationOf } from '../../../src/core/wire/assignment-parts.ts';
import type { IsolationIdentity, LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import { PendingLeases } from './pending-leases.ts';
import { UnschedulableSteps } from './unschedulable-steps.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';

/** A worker as the lease sees it. */
export interface LeaseWorker {
  readonly offer: WorkerOffer;
  readonly incarnation: string;
  /** Whether it may be handed new work. */
  readonly isOnline: boolean;
  committedCores: number;
}

/** The step that a worker is kept free for, since when (milliseconds since the epoch). */
export interface Reservation extends StepName {
  readonly since: number;
}

export interface LeaseState {
  readonly farmId: FarmId;
  readonly tallies: Tallies;
  readonly index: ReadyIndex;
  readonly pools: FarmPools;
  readonly kinds: WorkerKinds;
  /** Where storage is found from each place. */
  readonly pathMaps: PathMaps;
  readonly parked: ParkedRequests<ReplyTo<LeaseReply>>;
  readonly workers: Map<WorkerId, LeaseWorker>;
  readonly pending: PendingLeases;
  /** Workers that are kept free, each for a step (docs/decisions/reservation.md). */
  readonly reservations: Map<WorkerId, Reservation>;
  /** The accounts that tasks run as, of queues that name one. */
  readonly isolation: Map<QueueId, IsolationIdentity>;
  readonly unmatched: UnschedulableSteps;
  /** Whether the timer of the next sweep is set. */
  isSweepSet: boolean;
  /** Whether jobs are still to be told of tasks that nobody may run, or that somebody may again. */
  hasPendingNotifications: boolean;
  isRemoved: boolean;
  /** Jobs are asked what they offer; all are asked, and their answers come; all is known. */
  recovery: 'asking' | 'counting' | 'done';
  /** What must be asked for its offers when the actor starts: jobs that were not asked yet, and all workers. */
  readonly pendingJobs: JobId[];
  readonly knownWorkers: readonly WorkerId[];
}

export function newLeaseState(farm: FarmId, tallies: Tallies): LeaseState {
  const pools = new FarmPools(farm, tallies);
  const kinds = new WorkerKinds();
  return {
    farmId: farm,
    tallies,
    index: new ReadyIndex(pools, kinds),
    pools,
    kinds,
    pathMaps: new PathMaps(),
    parked: new ParkedRequests(),
    workers: new Map(),
    pending: new PendingLeases(),
    reservations: new Map(),
    isolation: new Map(),
    unmatched: new UnschedulableSteps(),
    isSweepSet: false,
    hasPendingNotifications: false,
    isRemoved: false,
    recovery: 'asking',
    pendingJobs: [],
    knownWorkers: [],
  };
}

/** The caps of farm and queues and the pools from the store, and who is to be asked for the rest. */
export function loadLease(id: string, reader: StoreReader, tallies: Tallies): LeaseState | null {
  const farm = reader.get('farm', id);
  if (farm === undefined) return null;
  const prefix = keys.activeJobsOf(farm.id);
  const state: LeaseState = {
    ...newLeaseState(farmId(id), tallies),
    pendingJobs: [...reader.scan('activeJob', { prefix })].map((row) => jobId(row.key.slice(prefix.length))),
    knownWorkers: [...reader.scan('worker')].flatMap((row) =>
      row.value.farmId === farm.id ? [row.value.id] : [],
    ),
  };
  state.pools.register([...reader.scan('usagePool')].map((row) => row.value));
  state.pathMaps.replace([...reader.scan('storageLocation')].map((row) => row.value));
  state.index.caps.limitFarm(farm.maxConcurrentTasks);
  for (const { value: queue } of reader.scan('queue')) {
    if (queue.farmId !== farm.id) continue;
    state.index.caps.limitQueue(queue.id, queue.maxConcurrentTasks, queue.paused);
    const isolation = isolationOf(queue);
    if (isolation !== null) state.isolation.set(queue.id, isolation);
  }
  return state;
}
