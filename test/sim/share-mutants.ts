import type { LeaseState } from '../../actors/service/lease/state.ts';
import { handle, withDefinitions, type Mutant } from './mutant.ts';
import { contextWith, type AnyContext } from './watch-turns.ts';
import type { QueuePolicySetting } from '../../src/core/records/queue-policy.ts';

/** Mutants of queue policies. */
export const SHARE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the usage of sharers is not stored',
    plant: withDefinitions((definition) => {
      if (definition.kind !== 'lease') return definition;
      return {
        ...definition,
        save: (state, context) => {
          const change = (each: Parameters<AnyContext['change']>[0]): void => {
            if (each.op !== 'put' || each.table !== 'shareUsage') context.change(each);
          };
          definition.save?.(state, contextWith(context, { change }));
        },
      };
    }),
  },
  {
    name: 'cores that are free again stay in use by their sharer',
    plant: handle('lease', 'cores.freed', (state, message, context, original) => {
      original(state, message, context);
      (state as LeaseState).index.shares?.count(message.jobId, message.stepOrder, message.cores);
    }),
  },
  {
    name: 'cores of refused tasks stay in use by their sharer',
    plant: handle('lease', 'tasks.taken', (state, message, context, original) => {
      original(state, message, context);
      if (message.refused > 0)
        (state as LeaseState).index.shares?.count(
          message.jobId,
          message.stepOrder,
          message.refused * message.cores,
        );
    }),
  },
  {
    name: 'the cores of a worker that is offered again count twice',
    plant: handle('lease', 'worker.offered', (state, message, context, original) => {
      const known = (state as LeaseState).workers.get(message.record.id);
      original(state, message, context);
      for (const { jobId, stepOrder, cores } of known?.uses.all() ?? [])
        (state as LeaseState).index.shares?.count(jobId, stepOrder, cores);
    }),
  },
  {
    name: 'the run times of ended tasks are not counted in advance',
    plant: handle('lease', 'tasks.ended', (state, message, context, original) => {
      original(state, { ...message, meanMs: null }, context);
    }),
  },
  { name: 'a shared farm has the other precedence of priority', plant: withPolicy(otherPrecedence) },
  { name: 'weights are ignored', plant: withPolicy((policy) => ({ ...policy, weights: [] })) },
  {
    name: 'a farm is shared by owner always',
    plant: withPolicy((policy) => ({ ...policy, sharedBy: 'owner' })),
  },
  {
    name: 'a farm stays in the order of the contract',
    plant: withPolicy((policy) => ({ ...policy, kind: 'fifo' })),
  },
];

function otherPrecedence(policy: QueuePolicySetting): QueuePolicySetting {
  return { ...policy, priorityFirst: !policy.priorityFirst };
}

function withPolicy(change: (policy: QueuePolicySetting) => QueuePolicySetting): Mutant['plant'] {
  return handle('lease', 'farm.limits-changed', (state, message, context, original) => {
    const { queuePolicy } = message;
    original(state, { ...message, queuePolicy: queuePolicy === null ? null : change(queuePolicy) }, context);
  });
}
