import { farmId } from '../../src/core/ids.ts';
import { refused } from '../../src/core/problems.ts';
import type { ActorDefinition } from '../kernel/actor.ts';
import type { ServiceSettings, ServiceWorld } from '../service-world.ts';
import { onLeaseRequested } from './on-lease-requested.ts';
import { onStepOffered, onTaskDue, onTasksReady } from './on-step-offered.ts';
import { onTasksTaken } from './on-tasks-taken.ts';
import { onCoresFreed, onWorkerOffered, onWorkerRemoved } from './on-worker-offered.ts';
import { answerEmpty, answerUnknown, armHold, serveAll } from './serve.ts';
import { loadLease, newLeaseState, type LeaseState } from './state.ts';

/**
 * The lease actor of a farm decides who gets what (design.md, "A lease in one shard"). It holds no truth of its own:
 * the ready index, free cores and caps follow from what jobs, workers and the farm tell it, and it asks them all again
 * whenever it is loaded. What it picks, the jobs take and may refuse.
 */
export function leaseActor(settings: ServiceSettings): ActorDefinition<ServiceWorld, 'lease', LeaseState> {
  return {
    kind: 'lease',
    load: loadLease,
    started: (state, context) => {
      for (const id of state.knownWorkers) context.send('worker', id, { type: 'worker.wake' });
      for (const id of state.activeJobs) context.send('job', id, { type: 'job.wake' });
    },
    isRemoved: (state) => state.isRemoved,
    absent: (id, message, context) => {
      if (message.type === 'farm.limited') return newLeaseState(farmId(id));
      if (message.type === 'lease.requested') answerUnknown(message, context);
      return null;
    },
    handlers: {
      'lease.wake': () => undefined,
      'lease.requested': onLeaseRequested(settings.leaseHoldMs),
      'tasks.taken': onTasksTaken,
      'step.offered': onStepOffered,
      'tasks.ready': onTasksReady,
      'task.due': onTaskDue,
      'task.withdrawn': (state, { jobId, stepOrder, index }) => {
        state.index.removeTask(jobId, stepOrder, index);
      },
      'job.withdrawn': (state, { jobId }) => {
        state.index.withdrawJob(jobId);
      },
      'task.settled': (state, { jobId, stepOrder }, context) => {
        if (state.index.settle(jobId, stepOrder)) serveAll(state, context);
      },
      'worker.offered': onWorkerOffered,
      'worker.removed': onWorkerRemoved,
      'cores.freed': onCoresFreed,
      'farm.limited': (state, { maxConcurrentTasks }, context) => {
        state.index.limitFarm(maxConcurrentTasks);
        serveAll(state, context);
      },
      'queue.limited': (state, { queueId, maxConcurrentTasks, paused }, context) => {
        state.index.limitQueue(queueId, maxConcurrentTasks, paused);
        serveAll(state, context);
      },
      'farm.removed': (state, _message, context) => {
        state.isRemoved = true;
        for (const id of [...state.workers.keys()]) {
          for (const request of state.parked.takeAll(id)) answerUnknown(request, context);
        }
      },
      'pools.changed': (state, { pools }) => {
        state.pools = pools;
      },
      'tally.fell': (state, _message, context) => {
        serveAll(state, context);
      },
      'task.explain': (_state, { replyTo }, context) => {
        context.reply(replyTo, refused('unavailable', 'not there yet'));
      },
      'pool.explain': (_state, { replyTo }, context) => {
        context.reply(replyTo, refused('unavailable', 'not there yet'));
      },
      'hold.ended': (state, _message, context) => {
        for (const request of state.parked.takeEnded(context.now)) answerEmpty(request, context);
        armHold(state, context);
      },
    },
  };
}
