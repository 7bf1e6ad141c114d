import type { QueueId } from '../../src/core/ids.ts';
import { SHARERS_OF, type QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import type { Random } from './random.ts';

const OWNERS = ['ana', 'tomas', 'bo'] as const;
const PROJECTS = ['film', ''] as const;

/** Returns the owner and project of the job with this number. */
export const ownerOf = (number: number): string => OWNERS[number % OWNERS.length] ?? '';
export const projectOf = (number: number): string => PROJECTS[number % PROJECTS.length] ?? '';

/** Returns a random queue policy of a farm. */
export function randomQueuePolicy(
  random: Random,
  queues: readonly QueueId[],
): Omit<QueuePolicySetting, 'version'> {
  const kind = random.pick(['fifo', 'balanced', 'balanced', 'weighted', 'weighted'] as const);
  const [queue] = queues;
  return {
    kind,
    sharedBy: random.pick(SHARERS_OF[kind]),
    weights: random.chance(0.5)
      ? [
          { name: 'ana', weight: random.pick([0.5, 3, 10]) },
          { name: 'film', weight: 2 },
          ...(queue === undefined ? [] : [{ name: queue, weight: 4 }]),
        ]
      : [],
    halfLifeSeconds: random.pick([60, 90, 600, 86_400]),
    priorityFirst: random.chance(0.7),
  };
}
