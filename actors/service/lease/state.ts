/**
 * State of the lease actor of a farm. `recovery` has three states: `loading` (jobs are being activated), `reconciling`
 * (all are activated, their reports arrive), `ready`. Tasks are assigned only in `ready`; it is final.
 *
 * A request is served, parked or answered. It leaves `parked` when it is served, replaced, expired or dismissed with
 * its worker. A lease in `pending` ends within its unit of work. A reservation ends when a task of its step is
 * selected, its step stops waiting or its worker goes offline.
 *
 * Invariants: everything is rebuilt from the store and from reports of jobs and workers; this actor stores only the usage
 * of sharers (docs/policy.md#queue-policies), outages, overtaken steps and reservations. A worker is reserved for at most
 * one step.
 */

import type { FarmId, JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import { farmId, jobId } from '../../../src/core/ids.ts';
import { BookedAmounts } from '../../../src/core/lease/booked-amounts.ts';
import type { WorkerAmounts } from '../../../src/core/lease/worker-amounts.ts';
import { PathMaps } from '../../../src/core/delivery/path-map.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { ParkedRequests } from '../../../src/core/lease/parked-requests.ts';
import { ReadyIndex } from '../../../src/core/lease/ready-index.ts';
import { FarmDoubts } from '../../../src/core/lease/worker-doubts.ts';
import { WorkerKinds } from '../../../src/core/lease/worker-kinds.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { Tallies } from '../../../src/core/ports/tallies.ts';
import type { BookedAmountsSetting } from '../../../src/core/records/farm.ts';
import { namedCapsOf } from '../../../src/core/records/named-caps.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { isolationOf } from '../../../src/core/wire/assignment-parts.ts';
import type { IsolationIdentity, LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import { newOutages, type OutageState } from './outage-state.ts';
import { newPreemption, setPreemption, type PreemptionState } from './preemption-state.ts';
import { PendingLeases } from './pending-leases.ts';
import { loadShares } from './load-shares.ts';
import { UnschedulableSteps } from './unschedulable-steps.ts';
import type { WorkerUses } from '../../../src/core/lease/worker-uses.ts';
import type { StepKey, StepName } from '../../../src/core/lease/candidate-order.ts';
import { Reservations } from '../../../src/core/lease/reservations.ts';
import { loadWaitingSteps } from './load-waiting-steps.ts';

/** A worker as the lease actor sees it. */
export interface LeaseWorker {
  readonly offer: WorkerOffer;
  readonly incarnation: string;
  /** Whether its standing lets it take tasks. */
  readonly takesTasks: boolean;
  /** Whether it may get new tasks: it takes tasks, and is not in quarantine as a whole. */
  readonly isOnline: boolean;
  committedCores: number;
  /** Amounts that its tasks hold besides cores. */
  readonly amounts: WorkerAmounts;
  /** Its committed cores by job. */
  readonly uses: WorkerUses;
}

export interface LeaseState {
  readonly farmId: FarmId;
  readonly tallies: Tallies;
  readonly index: ReadyIndex;
  readonly pools: FarmPools;
  readonly kinds: WorkerKinds;
  /** Workers that are kept from tasks because of their failures. */
  readonly doubts: FarmDoubts;
  /** Workers that ask for a quarantine as a whole. */
  readonly asking: Set<WorkerId>;
  /** Storage roots as seen from each compute location. */
  readonly pathMaps: PathMaps;
  readonly parked: ParkedRequests<ReplyTo<LeaseReply>>;
  readonly workers: Map<WorkerId, LeaseWorker>;
  readonly pending: PendingLeases;
  /** Reserved workers, each with its step (docs/decisions/reservation.md). */
  readonly reservations: Reservations;
  /** Steps that were overtaken when the actor was loaded, until all jobs have reported theirs. */
  readonly overtakenBefore: Map<StepKey, StepName>;
  /** The amounts that the farm books besides cores; null for none (docs/policy.md#booked-amounts). */
  bookedAmounts: BookedAmounts | null;
  /** Version of the farm's queue policy, which `index` applies; 0 if it never had one. */
  queuePolicyVersion: number;
  readonly preemption: PreemptionState;
  /** Accounts that tasks run as, by queue, for queues that name one. */
  readonly isolation: Map<QueueId, IsolationIdentity>;
  readonly unschedulable: UnschedulableSteps;
  readonly outages: OutageState;
  /** Whether the timer of the next sweep is set. */
  isSweepSet: boolean;
  /** Whether `step.unschedulable` or `step.schedulable` messages are still pending after the last batch. */
  hasPendingNotifications: boolean;
  isDeleted: boolean;
  /** Recovery state, see the header. */
  recovery: 'loading' | 'reconciling' | 'ready';
  /** Jobs that are not activated yet, and all workers to activate at the start. */
  readonly pendingJobs: JobId[];
  readonly knownWorkers: readonly WorkerId[];
}

export function newLeaseState(farm: FarmId, tallies: Tallies): LeaseState {
  const pools = new FarmPools(farm, tallies);
  const kinds = new WorkerKinds();
  const doubts = new FarmDoubts();
  return {
    farmId: farm,
    tallies,
    index: new ReadyIndex(pools, kinds, doubts),
    pools,
    kinds,
    doubts,
    asking: new Set(),
    pathMaps: new PathMaps(),
    parked: new ParkedRequests(),
    workers: new Map(),
    pending: new PendingLeases(),
    reservations: new Reservations(),
    overtakenBefore: new Map(),
    bookedAmounts: null,
    queuePolicyVersion: 0,
    preemption: newPreemption(),
    isolation: new Map(),
    unschedulable: new UnschedulableSteps(),
    outages: newOutages(),
    isSweepSet: false,
    hasPendingNotifications: false,
    isDeleted: false,
    recovery: 'loading',
    pendingJobs: [],
    knownWorkers: [],
  };
}

/**
 * Loads the caps of farm and queues, the pools and the storage locations, and lists the jobs and workers to activate.
 */
export function loadLease(id: string, reader: StoreReader, tallies: Tallies, now: number): LeaseState | null {
  const farm = reader.get('farm', id);
  if (farm === undefined) return null;
  const prefix = keys.activeJobsOf(farm.id);
  const fresh = newLeaseState(farmId(id), tallies);
  const state: LeaseState = {
    ...fresh,
    overtakenBefore: loadWaitingSteps(farm.id, fresh.reservations, reader),
    outages: newOutages(farm.outages, reader.get('farmOutages', keys.farmOutages(farm.id))),
    pendingJobs: [...reader.scan('activeJob', { prefix })].map((row) => jobId(row.key.slice(prefix.length))),
    knownWorkers: [...reader.scan('worker')].flatMap((row) =>
      row.value.farmId === farm.id ? [row.value.id] : [],
    ),
  };
  state.pools.register(
    [...reader.scan('usagePool')].map((row) => row.value),
    now,
  );
  state.pathMaps.replace([...reader.scan('storageLocation')].map((row) => row.value));
  state.index.caps.limitFarm(farm.maxConcurrentTasks);
  state.index.groupCaps.limitFarm(namedCapsOf(farm));
  state.bookedAmounts = bookedAmountsOf(farm.bookedAmounts ?? null);
  state.queuePolicyVersion = farm.queuePolicy?.version ?? 0;
  state.index.shareBy(loadShares(farm, reader));
  for (const { value: queue } of reader.scan('queue')) {
    if (queue.farmId !== farm.id) continue;
    state.index.caps.limitQueue(queue.id, queue.maxConcurrentTasks, queue.paused);
    state.index.groupCaps.limitQueue(queue.id, namedCapsOf(queue));
    setPreemption(state.preemption, queue.id, queue.name, queue);
    const isolation = isolationOf(queue);
    if (isolation !== null) state.isolation.set(queue.id, isolation);
  }
  return state;
}

/** Returns the amounts that a farm with this setting books, or null. */
export const bookedAmountsOf = (setting: BookedAmountsSetting | null): BookedAmounts | null =>
  setting === null || setting.names.length === 0 ? null : new BookedAmounts(setting);
