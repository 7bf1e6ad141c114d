import type { LeaseState } from '../../actors/service/lease/state.ts';
import { handle, type Mutant } from './mutant.ts';

/** Mutants of caps of jobs and steps. */
export const CAP_MUTANTS: readonly Mutant[] = [
  {
    name: 'the cap of a job is not offered',
    plant: handle('lease', 'steps.ready', (state, message, context, original) => {
      const offers = message.offers.map(({ jobMaxConcurrentTasks: _cap, ...offer }) => offer);
      original(state, { ...message, offers }, context);
    }),
  },
  {
    name: 'the cap of a step counts for its job',
    plant: handle('lease', 'steps.ready', (state, message, context, original) => {
      const offers = message.offers.map((offer) =>
        offer.maxConcurrentTasks === undefined
          ? offer
          : { ...offer, jobMaxConcurrentTasks: offer.maxConcurrentTasks },
      );
      original(state, { ...message, offers }, context);
    }),
  },
  {
    name: 'a changed cap is not sent to the lease actor',
    plant: handle('job', 'job.update', (state, message, context, original) => {
      const { caps } = message.update;
      if (caps === undefined) {
        original(state, message, context);
        return;
      }
      const send: typeof context.send = (actor, id, said) => {
        if (said.type !== 'steps.ready') context.send(actor, id, said);
      };
      original(state, message, { ...context, send });
    }),
  },
  {
    name: 'tasks that end make no room under the caps of their job',
    plant: handle('lease', 'tasks.ended', (state, message, context, original) => {
      const lease = state as LeaseState;
      original(lease, message, context);
      const job = lease.index.entry(message.jobId, message.stepOrder)?.job;
      if (job !== undefined && job.maxConcurrentTasks > 0) job.live += message.count;
    }),
  },
  {
    name: 'the caps of owners and projects in queues are ignored',
    plant: handle('lease', 'queue.limits-changed', (state, message, context, original) => {
      original(state, { ...message, namedCaps: {} }, context);
    }),
  },
  {
    name: 'the caps of owners in the farm are those of projects',
    plant: handle('lease', 'farm.limits-changed', (state, message, context, original) => {
      const { ownerCaps = {}, projectCaps = {} } = message.namedCaps;
      const namedCaps = { ownerCaps: projectCaps, projectCaps: ownerCaps };
      original(state, { ...message, namedCaps }, context);
    }),
  },
  {
    name: 'tasks that end make no room under the cap of their owner',
    plant: handle('lease', 'tasks.ended', (state, message, context, original) => {
      const lease = state as LeaseState;
      original(lease, message, context);
      const step = lease.index.entry(message.jobId, message.stepOrder);
      for (const group of step?.signature.capGroups ?? []) group.live += message.count;
    }),
  },
  {
    name: 'tasks that run when an owner gets a cap do not count',
    plant: handle('lease', 'farm.limits-changed', (state, message, context, original) => {
      const lease = state as LeaseState;
      const live = new Map([...lease.index.allSteps()].map((step) => [step, step.live]));
      for (const step of live.keys()) step.live = 0;
      original(lease, message, context);
      for (const [step, count] of live) step.live += count;
    }),
  },
  {
    name: 'each worker counts as a machine of its own',
    plant: handle('lease', 'worker.offered', (state, message, context, original) => {
      const { record } = message;
      original(state, { ...message, record: { ...record, hostname: record.id } }, context);
    }),
  },
  {
    name: 'the slot of a host is free while tasks run there',
    plant: handle('lease', 'tasks.ended', (state, message, context, original) => {
      const lease = state as LeaseState;
      const entry = lease.index.entry(message.jobId, message.stepOrder);
      const isOn = (entry?.requirements.pools.length ?? 0) > 0 && message.count === 1;
      original(lease, isOn ? { ...message, workers: [...(entry?.liveOn ?? [])] } : message, context);
    }),
  },
  {
    name: 'the amounts of pools are not counted',
    plant: handle('lease', 'steps.ready', (state, message, context, original) => {
      const offers = message.offers.map((offer) => {
        const { poolAmounts: _amounts, ...requirements } = offer.requirements;
        return { ...offer, requirements };
      });
      original(state, { ...message, offers }, context);
    }),
  },
];
