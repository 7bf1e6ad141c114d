import type { GroupCapExplanation, LeaseExplanation } from '../lease/explanation.ts';
import { capSentence, isReached, ownHolders, sharesOf } from './capacity-gates.ts';
import type { OwnerCapGate, ProjectCapGate } from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';

/** Returns the gates of the caps of the job's owner and project that are reached (docs/policy.md#caps), owner first. */
export function groupCapGates(
  facts: TaskFacts,
  { groupCaps = [] }: LeaseExplanation,
): readonly (OwnerCapGate | ProjectCapGate)[] {
  const reached = groupCaps.filter(isReached);
  return [
    ...reached
      .filter(({ by }) => by === 'owner')
      .map((cap): OwnerCapGate => ({
        gate: 'owner_cap',
        reason: 'owner at cap',
        owner: cap.name,
        ...partsOf(facts, cap, cap.name === '' ? 'the group of jobs without an owner' : `owner ${cap.name}`),
      })),
    ...reached
      .filter(({ by }) => by === 'project')
      .map((cap): ProjectCapGate => ({
        gate: 'project_cap',
        reason: 'project at cap',
        project: cap.name,
        ...partsOf(
          facts,
          cap,
          cap.name === '' ? 'the group of jobs without a project' : `project ${cap.name}`,
        ),
      })),
  ];
}

/** `Owner ana in queue night is at the cap of 3 concurrent tasks; …`. */
function partsOf(
  facts: TaskFacts,
  cap: GroupCapExplanation,
  who: string,
): Pick<OwnerCapGate, 'sentence' | 'queue' | 'limit' | 'live' | 'holders'> {
  const holders = sharesOf(facts, ownHolders(facts, cap.holders));
  const queue = cap.queueId === null ? null : { id: cap.queueId, name: facts.names.queue(cap.queueId) };
  const what = `${who} in ${queue === null ? 'the farm' : `queue ${queue.name}`}`;
  return {
    sentence: capSentence(facts, what, cap, holders),
    ...(queue !== null && { queue }),
    limit: cap.maxConcurrentTasks,
    live: cap.live,
    holders,
  };
}
