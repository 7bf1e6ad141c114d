import type { PoolInput } from '../../actors/service/catalog/messages.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { NamedCaps } from '../../src/core/records/named-caps.ts';
import type { JobCaps } from '../../src/core/records/job-caps.ts';

/** Caps, chosen by number: they draw nothing, so that the other properties of a seed stay the same. */

/** Returns the caps of a new job. */
export function capsOfJob(number: number): JobCaps {
  const ofJob = [0, 2, 1, 0, 4][number % 5] ?? 0;
  const ofSteps = [{ Step0: 1 }, {}, { Step0: 2, Step1: 1 }, { Step1: 3 }][number % 4] ?? {};
  return { maxConcurrentTasks: ofJob, stepCaps: ofSteps };
}

/** Returns a change of the caps of a job. */
export function changeOfCaps(number: number): JobCaps {
  const changes: readonly JobCaps[] = [
    { maxConcurrentTasks: 1 },
    { maxConcurrentTasks: 0 },
    { stepCaps: { Step0: 0, Step1: 2 } },
    { maxConcurrentTasks: 3, stepCaps: { Step0: 1 } },
    {},
  ];
  return changes[number % changes.length] ?? {};
}

/** Returns the caps of owners and projects in a farm or queue. */
export function groupCapsOf(number: number): NamedCaps {
  const owners = [{ ana: 2 }, {}, { '*': 3, bo: 0 }, { '*': 1 }, { tomas: 1, ana: 4 }][number % 5] ?? {};
  const projects = [{}, { film: 2 }, { '': 3, '*': 4 }][number % 3] ?? {};
  return { ownerCaps: owners, projectCaps: projects };
}

/** A change that removes all caps of owners and projects. */
export const NO_GROUP_CAPS: NamedCaps = { ownerCaps: {}, projectCaps: {} };

/** A change that removes all caps. */
export const NO_CAPS: JobCaps = { maxConcurrentTasks: 0, stepCaps: { Step0: 0, Step1: 0, Step2: 0 } };

/** Returns what a pool counts. It changes rarely, so that tasks are leased by each of them. */
export function countsOfPool(number: number): NonNullable<PoolInput['counts']> {
  const counts = ['hosts', 'hosts', 'amounts', 'hosts', 'amounts', 'amounts', 'tasks'] as const;
  return counts[number % counts.length] ?? 'tasks';
}

/** Returns the amounts of pools that a step requires, by the order of the step. */
export const poolAmountsOf = (order: number, pools: readonly string[]): StepRequirements['poolAmounts'] =>
  order % 2 === 1 ? undefined : Object.fromEntries(pools.map((pool) => [pool, 2]));
