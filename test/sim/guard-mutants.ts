import type { LeaseState } from '../../actors/service/lease/state.ts';
import { NO_DOUBTS } from '../../src/core/lease/worker-doubts.ts';
import { handle, withDefinitions, type Mutant } from './mutant.ts';
import { withAllGuards } from './options.ts';
import { contextWith, type AnyContext } from './watch-turns.ts';

const MUTANTS: readonly Mutant[] = [
  {
    name: 'the lease actor does not learn of a quarantine',
    plant: handle('lease', 'worker.doubted', (state, message, context, original) => {
      original(
        state,
        { ...message, doubts: NO_DOUBTS, asksForQuarantine: message.asksForQuarantine },
        context,
      );
    }),
  },
  {
    name: 'tasks do not wait for the canary tasks of their step',
    plant: handle('lease', 'steps.ready', (state, message, context, original) => {
      const offers = message.offers.map((offer) => {
        const [first, ...others] = offer.ready;
        const last = others.at(-1);
        if (first === undefined || last === undefined || offer.ready.length !== 3) return offer;
        return { ...offer, ready: [{ ...first, count: last.start + last.count - first.start }] };
      });
      original(state, { ...message, offers }, context);
    }),
  },
  {
    name: 'a failure in an outage consumes an attempt',
    plant: handle('job', 'failure.weighed', (state, message, context, original) => {
      original(state, { ...message, mark: null }, context);
    }),
  },
  {
    name: 'a place that an outage holds is not held',
    plant: handle('lease', 'failure.weigh', (state, message, context, original) => {
      original(state, message, context);
      const { outages, pools } = state as LeaseState;
      outages.locations.clear();
      pools.setOutageRooms(new Map());
    }),
  },
  {
    name: 'a task that was selected is ready again after its failure was excused',
    plant: handle('lease', 'task.excused', (state, message, context, original) => {
      const { jobId, stepOrder, index, readyAt, avoided } = message;
      const { index: ready } = state as LeaseState;
      if (ready.entry(jobId, stepOrder)?.held.has(index) === true) original(state, message, context);
      else ready.addReady(jobId, stepOrder, [{ start: index, count: 1 }], readyAt, avoided);
    }),
  },
  {
    name: 'outages are not stored',
    plant: withDefinitions((definition) => {
      if (definition.kind !== 'lease') return definition;
      return {
        ...definition,
        save: (state, context) => {
          const change = (each: Parameters<AnyContext['change']>[0]): void => {
            if (each.op !== 'put' || each.table !== 'farmOutages') context.change(each);
          };
          definition.save?.(state, contextWith(context, { change }));
        },
      };
    }),
  },
];

/** Mutants of quarantine, canary tasks and outages, in farms that have all three. */
export const GUARD_MUTANTS: readonly Mutant[] = MUTANTS.map((mutant) => ({
  ...mutant,
  options: withAllGuards,
}));
