import type { JobEntry, StepEntry } from './step-entry.ts';

/** A cap of 0 is none, as for farms and queues. */
const roomUnder = (cap: number, live: number): number => (cap === 0 ? Infinity : Math.max(0, cap - live));

/** Returns how many more tasks of the step may run under the caps of its job and its own (docs/policy.md#caps). */
export const roomUnderOwnCaps = ({ maxConcurrentTasks, live, job }: StepEntry): number =>
  Math.min(roomUnder(maxConcurrentTasks, live), roomUnder(job.maxConcurrentTasks, job.live));

/** Reports whether the job or any of its steps has a cap. */
export const hasOwnCaps = ({ maxConcurrentTasks, cappedSteps }: JobEntry): boolean =>
  maxConcurrentTasks > 0 || cappedSteps > 0;
