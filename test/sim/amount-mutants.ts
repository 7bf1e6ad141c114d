import type { LeaseState } from '../../actors/service/lease/state.ts';
import { BookedAmounts } from '../../src/core/lease/booked-amounts.ts';
import { handle, type Mutant } from './mutant.ts';
import { contextWith, type AnyContext } from './watch-turns.ts';

/** Mutants of booked amounts. */
export const AMOUNT_MUTANTS: readonly Mutant[] = [
  {
    name: 'booked amounts are not given back',
    plant: handle('lease', 'cores.freed', (state, message, context, original) => {
      original(state, { ...message, holdings: [] }, context);
    }),
  },
  {
    name: 'a farm does not learn that it books amounts',
    plant: handle('lease', 'farm.limits-changed', (state, message, context, original) => {
      original(state, { ...message, bookedAmounts: null }, context);
    }),
  },
  {
    name: 'booked amounts are forgotten when a worker is offered again',
    plant: handle('lease', 'worker.offered', (state, message, context, original) => {
      original(state, { ...message, holdings: [] }, context);
    }),
  },
  {
    name: 'a booking does not store what it holds besides cores',
    plant: handle('worker', 'attempts.booked', (state, message, context, original) => {
      const bookings = message.bookings.map(({ attempt, booking: { attemptId, cores } }) => ({
        attempt,
        booking: { attemptId, cores },
      }));
      original(state, { ...message, bookings }, context);
    }),
  },
  {
    name: 'tasks that the job refuses keep their amounts',
    plant: handle('lease', 'tasks.taken', (state, message, context, original) => {
      original(state, { ...message, refusedHoldings: [] }, context);
    }),
  },
  {
    name: 'every task gets the first GPU',
    plant: handle('job', 'tasks.take', (state, message, context, original) => {
      const holdings = message.pick.holdings?.map((holding) =>
        holding.gpus === undefined ? holding : { ...holding, gpus: holding.gpus.map((_gpu, at) => at) },
      );
      const pick = holdings === undefined ? message.pick : { ...message.pick, holdings };
      original(state, { ...message, pick }, context);
    }),
  },
  {
    name: 'a step without a requirement takes nothing by default',
    plant: withDefault('none'),
  },
  {
    name: 'a step without a requirement takes its share of the cores always',
    plant: withDefault('core_share'),
  },
  {
    name: 'requests are not grouped again when amounts are booked',
    plant: handle('lease', 'cores.freed', (state, message, context, original) => {
      const lease = state as LeaseState;
      if (message.holdings === undefined) original(lease, message, context);
      else {
        const worker = lease.workers.get(message.workerId);
        for (const holding of message.holdings) worker?.amounts.remove(holding);
        if (worker !== undefined) worker.committedCores -= message.cores;
      }
    }),
  },
  {
    name: 'the amounts of a closed attempt are given back twice',
    plant: handle('worker', 'attempts.released', (state, message, context, original) => {
      const send: AnyContext['send'] = (actor, id, said) => {
        if (said.type === 'cores.freed' && said.holdings !== undefined)
          context.send(actor, id, { ...said, holdings: [...said.holdings, ...said.holdings] });
        else context.send(actor, id, said);
      };
      original(state, message, contextWith(context, { send }));
    }),
  },
];

function withDefault(byDefault: 'none' | 'core_share'): Mutant['plant'] {
  return handle('lease', 'lease.requested', (state, message, context, original) => {
    const lease = state as LeaseState;
    const { bookedAmounts } = lease;
    if (bookedAmounts !== null)
      lease.bookedAmounts = new BookedAmounts({ ...bookedAmounts.setting, byDefault });
    original(lease, message, context);
    lease.bookedAmounts = bookedAmounts;
  });
}
