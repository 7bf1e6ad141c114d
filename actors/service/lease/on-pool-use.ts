import { compareCandidates } from '../../../src/core/lease/candidate-order.ts';
import type { PoolUse, PoolWaiter } from '../../../src/core/lease/explanation.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';
import { done } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import { holdersOfPool } from './holders.ts';
import type { LeaseMessage } from './messages.ts';
import type { LeaseState } from './state.ts';

/** Maximum number of waiting steps that are named. */
const WAITERS_MAX = 20;

/**
 * Replies with the steps that hold slots of a usage pool in this farm, and those that wait for them. Changes nothing.
 * Linear in steps, not in tasks. It must not load the jobs of a farm that recovers, because pages ask for it all the time.
 */
export function onPoolUse(
  state: LeaseState,
  { pool, replyTo }: Extract<LeaseMessage, { type: 'pool.use' }>,
  context: ServiceContext<'lease'>,
): void {
  const use =
    state.recovery === 'ready' ? poolUse(state, pool) : { holders: [], waiters: [], waitingTasks: 0 };
  context.reply(replyTo, done({ ...use, isPartial: state.recovery !== 'ready' || isCut(use) }));
}

function poolUse(state: LeaseState, pool: string): Omit<PoolUse, 'isPartial'> {
  const waiting = state.index
    .waitingSignatures()
    .filter(
      ({ queueId, requirements }) =>
        requirements.pools.includes(pool) && !state.index.caps.of(queueId).paused,
    )
    .flatMap(({ steps }) => steps)
    .concat(cappedStepsOf(state, pool))
    .sort(state.index.shares?.order.compare ?? compareCandidates);
  return {
    holders: holdersOfPool(state, pool),
    waiters: waiting.slice(0, WAITERS_MAX).map(waiterOf),
    waitingTasks: waiting.reduce((sum, { ready }) => sum + ready.size, 0),
  };
}

/** Returns the steps that wait for the pool and, at the moment, for a cap of their own or of their job. */
const cappedStepsOf = ({ index }: LeaseState, pool: string): readonly StepEntry[] =>
  index
    .cappedSteps()
    .filter(
      ({ queueId, requirements }) => requirements.pools.includes(pool) && !index.caps.of(queueId).paused,
    );

const waiterOf = ({ jobId, stepOrder, ready }: StepEntry): PoolWaiter => ({
  jobId,
  stepOrder,
  tasks: ready.size,
});

const isCut = ({ waiters, waitingTasks }: Omit<PoolUse, 'isPartial'>): boolean =>
  waiters.reduce((sum, { tasks }) => sum + tasks, 0) < waitingTasks;
