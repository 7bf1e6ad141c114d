import { farmId } from '../../../src/core/ids.ts';
import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import { refused } from '../../../src/core/problems.ts';
import type { ActorDefinition, Handlers } from '../../kernel/actor.ts';
import type { ServiceContext, ServiceSettings, ServiceSystem } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { onDemandsExplain, onPoolExplain, onStepsExplain, onTaskExplain } from './on-explain.ts';
import { onFarmLimitsChanged, regroupSteps } from './on-farm-limits-changed.ts';
import { onFarmExplain } from './on-farm-explain.ts';
import { onLeaseRequested } from './on-lease-requested.ts';
import { armPoolHolds, onPoolHoldDue } from './pool-holds.ts';
import {
  endOutagesOfDeleted,
  onAttemptsEnded,
  onFailureWeigh,
  onOutageDue,
  onOutageEnd,
  saveOutages,
  startOutages,
} from './outages.ts';
import { onPoolUse } from './on-pool-use.ts';
import { onStepsReady, onTaskDue, onTaskExcused, onTasksReady } from './on-steps-ready.ts';
import { onAttemptsSurveyed, onBookingsSurveyed } from './preempt.ts';
import { setPreemption } from './preemption-state.ts';
import { armSweep, onSweepDue, sweepPeriodOf } from './on-sweep-due.ts';
import { onTasksTaken } from './on-tasks-taken.ts';
import { onWorkerDoubted } from './on-worker-doubted.ts';
import { onCoresFreed, onWorkerOffered, onWorkerRemoved } from './on-worker-offered.ts';
import {
  replyEmpty,
  replyUnknownWorker,
  armHold,
  serveAll,
  serveHosts,
  servePool,
  serveRelisted,
} from './serve.ts';
import { saveShares } from './share-farm.ts';
import { loadLease, newLeaseState, type LeaseState } from './state.ts';
import { loadJobs, whenRecovered, onLeaseRecovered } from './recovery.ts';
import { clearSchedulable } from './unschedulable-sweep.ts';
import { areWaitingStepsUnsaved, saveWaitingSteps } from './waiting-steps.ts';

type LeaseContext = ServiceContext<'lease'>;

/**
 * The lease actor of a farm assigns tasks to workers (docs/architecture.md#a-lease-in-one-shard). Most of its state is
 * derived: jobs, workers and the farm report ready tasks, free cores and caps, and report them again whenever the actor
 * is loaded. A job may refuse tasks that the lease actor selects.
 */
export function leaseActor(settings: ServiceSettings): ActorDefinition<ServiceSystem, 'lease', LeaseState> {
  const periodMs = sweepPeriodOf(settings);
  return {
    kind: 'lease',
    load: (id, reader, now) => loadLease(id, reader, settings.tallies, now),
    onActivated: (state, context) => {
      for (const id of state.knownWorkers) context.send('worker', id, { type: 'worker.activate' });
      loadJobs(state, settings.recoveryBatchSize, context);
      armPoolHolds(state, context);
      startOutages(state, context);
    },
    save: (state, context) => {
      saveShares(state, context);
      saveOutages(state, context);
      saveWaitingSteps(state, context);
    },
    isDeleted: (state) => state.isDeleted,
    onMissing: (id, message, context) => {
      if (message.type === 'farm.limits-changed') return newLeaseState(farmId(id), settings.tallies);
      if (message.type === 'lease.requested') replyUnknownWorker(message, context);
      if (
        message.type === 'task.explain' ||
        message.type === 'steps.explain' ||
        message.type === 'pool.explain' ||
        message.type === 'pool.use' ||
        message.type === 'demands.explain' ||
        message.type === 'farm.explain' ||
        message.type === 'outage.end'
      )
        context.reply(message.replyTo, refused('not-found', `there is no farm ${id}`));
      return null;
    },
    handlers: withReleases(periodMs, {
      'lease.activate': () => undefined,
      'recovery.next': (state, _message, context) => {
        loadJobs(state, settings.recoveryBatchSize, context);
      },
      'lease.recovered': onLeaseRecovered,
      'lease.requested': onLeaseRequested(settings.leaseHoldMs),
      'tasks.taken': onTasksTaken,
      'steps.ready': onStepsReady,
      'tasks.ready': onTasksReady,
      'task.due': onTaskDue,
      'task.withdrawn': (state, { jobId, stepOrder, index }) => {
        state.index.removeTask(jobId, stepOrder, index);
      },
      'task.excused': onTaskExcused,
      'job.withdrawn': (state, { jobId }) => {
        state.index.withdrawJob(jobId);
      },
      'tasks.ended': (state, { jobId, stepOrder, count, meanMs, workers }, context) => {
        if (state.index.settle(jobId, stepOrder, count, workers, meanMs)) serveAll(state, context);
        else serveRelisted(state, context);
      },
      'worker.offered': onWorkerOffered(settings.exprMemoryBytes),
      'worker.doubted': onWorkerDoubted,
      'worker.removed': onWorkerRemoved,
      'cores.freed': onCoresFreed,
      'farm.limits-changed': onFarmLimitsChanged,
      'bookings.surveyed': onBookingsSurveyed,
      'attempts.surveyed': onAttemptsSurveyed,
      'queue.limits-changed': (
        state,
        { queueId, maxConcurrentTasks, paused, isolation, namedCaps, ...queue },
        context,
      ) => {
        setPreemption(state.preemption, queueId, queue.name, queue.preemption);
        if (isolation === null) state.isolation.delete(queueId);
        else state.isolation.set(queueId, isolation);
        state.index.caps.limitQueue(queueId, maxConcurrentTasks, paused);
        if (state.index.groupCaps.limitQueue(queueId, namedCaps)) regroupSteps(state);
        serveAll(state, context);
      },
      'farm.removed': onFarmRemoved,
      'service.stopping': (state, _message, context) => {
        for (const request of state.parked.takeEnded(Infinity)) replyEmpty(request, context);
      },
      'pools.changed': whenRecovered((state, { pools }, context) => {
        state.pools.register(pools, context.now);
        armPoolHolds(state, context);
        serveAll(state, context);
        clearSchedulable(state, context);
      }),
      'pool-hold.due': onPoolHoldDue,
      'failure.weigh': onFailureWeigh,
      'attempts.ended': onAttemptsEnded,
      'outage.due': onOutageDue,
      'outage.end': onOutageEnd,
      // For later leases only: assigned tasks keep the path map of their lease.
      'storage.changed': (state, { storage }) => {
        state.pathMaps.replace(storage);
      },
      'capacity.freed': (state, { slot }, context) => {
        const pool = state.pools.nameOf(slot);
        if (pool === null) return;
        servePool(state, pool, context);
        clearSchedulable(state, context);
      },
      'task.explain': whenRecovered(onTaskExplain),
      'steps.explain': onStepsExplain,
      'pool.explain': whenRecovered(onPoolExplain),
      'pool.use': onPoolUse,
      'demands.explain': onDemandsExplain,
      'farm.explain': onFarmExplain,
      'sweep.due': onSweepDue(settings),
      'hold.expired': (state, _message, context) => {
        for (const request of state.parked.takeEnded(context.now)) replyEmpty(request, context);
        armHold(state, context);
      },
    }),
  };
}

type LeaseHandlers = Handlers<ServiceSystem, 'lease', LeaseState>;

/**
 * Wraps the handlers: before each message, counts the usage of the time that has passed; after it, serves hosts that have
 * taken a slot, releases freed pool slots with the commit and sets the timer of the next sweep.
 */
function withReleases(periodMs: number | null, handlers: LeaseHandlers): LeaseHandlers {
  const wrapped = Object.entries(handlers).map(([type, handle]) => [
    type,
    (state: LeaseState, message: LeaseMessage, context: LeaseContext): void => {
      state.index.shares?.advance(context.now);
      // The entry of a message type receives only messages of that type.
      (handle as (state: LeaseState, message: LeaseMessage, context: LeaseContext) => void)(
        state,
        message,
        context,
      );
      serveHosts(state, context);
      for (const { slot, count } of state.pools.takeReleased()) {
        context.effect({ kind: 'release', farmId: state.farmId, slot, count });
      }
      if (state.index.shares?.hasUnsaved === true || areWaitingStepsUnsaved(state)) context.markDirty();
      armSweep(state, periodMs, context);
    },
  ]);
  return Object.fromEntries(wrapped) as LeaseHandlers;
}

function onFarmRemoved(state: LeaseState, _message: unknown, context: LeaseContext): void {
  state.isDeleted = true;
  endOutagesOfDeleted(state, context);
  state.pools.register([], context.now);
  state.tallies.setShare(state.farmId, ONLINE_WORKERS_SLOT, 0);
  for (const id of [...state.workers.keys()]) {
    for (const request of state.parked.takeAll(id)) replyUnknownWorker(request, context);
  }
}
