import { stepIdOf } from '../ids.ts';
import type { LeaseExplanation } from '../lease/explanation.ts';
import { capSentence, isReached, ownHolders, sharesOf } from './capacity-gates.ts';
import type { JobCapGate, StepCapGate } from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';

/** Returns the gate of the job's own cap on concurrent tasks, if it is reached (docs/policy.md#caps). */
export function jobCapGates(facts: TaskFacts, { jobCap: cap }: LeaseExplanation): JobCapGate[] {
  if (cap === undefined || !isReached(cap)) return [];
  const holders = sharesOf(facts, ownHolders(facts, cap.holders));
  return [
    {
      gate: 'job_cap',
      reason: 'job at max_concurrent_tasks',
      sentence: capSentence(facts, 'the job', cap, holders),
      limit: cap.maxConcurrentTasks,
      live: cap.live,
      holders,
    },
  ];
}

/** Returns the gate of the step's own cap on concurrent tasks, if it is reached. */
export function stepCapGates(facts: TaskFacts, { stepCap: cap }: LeaseExplanation): StepCapGate[] {
  if (cap === undefined || !isReached(cap)) return [];
  const { jobId, order, name } = facts.step;
  return [
    {
      gate: 'step_cap',
      reason: 'step at max_concurrent_tasks',
      sentence: capSentence(facts, `step ${name}`, cap, []),
      step: { id: stepIdOf(jobId, order), name },
      limit: cap.maxConcurrentTasks,
      live: cap.live,
    },
  ];
}
