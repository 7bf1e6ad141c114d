import type { Holder } from '../../../src/core/lease/explanation.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';
import type { LeaseState } from './state.ts';

/** Returns the steps with live tasks for which `holds` is true, in the order of the index. */
export function holdersAmong(state: LeaseState, holds: (step: StepEntry) => boolean): Holder[] {
  const holders: Holder[] = [];
  for (const step of state.index.allSteps()) {
    const { jobId, stepOrder, live } = step;
    if (live > 0 && holds(step)) holders.push({ jobId, stepOrder, live });
  }
  return holders;
}

/** Returns the steps whose live tasks hold slots of a usage pool, by its name in lower case. */
export const holdersOfPool = (state: LeaseState, pool: string): Holder[] =>
  holdersAmong(state, ({ requirements }) => requirements.pools.includes(pool));
