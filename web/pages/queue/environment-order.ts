import type { QueueEnvironment } from '../../../client/resources.ts';

/** Distance of priorities after a change of the order. */
const STEP = 10;

/** A priority that an environment is to get. */
export interface MovedEnvironment {
  readonly environment: QueueEnvironment;
  readonly priority: number;
}

/**
 * Returns the priorities that move an environment one place up (-1) or down (1), only those that change; empty at the end of
 * the list. `environments` are in their order.
 */
export function moved(
  environments: readonly QueueEnvironment[],
  id: string,
  by: -1 | 1,
): readonly MovedEnvironment[] {
  const from = environments.findIndex((environment) => environment.id === id);
  const one = environments[from];
  const other = environments[from + by];
  if (one === undefined || other === undefined) return [];
  if (one.priority !== other.priority && !isShared(environments, one) && !isShared(environments, other))
    return [
      { environment: one, priority: other.priority },
      { environment: other, priority: one.priority },
    ];
  // Environments with the same priority are in the order of their creation, which cannot be changed.
  const order = environments.with(from, other).with(from + by, one);
  return order
    .map((environment, at) => ({ environment, priority: (at + 1) * STEP }))
    .filter(({ environment, priority }) => environment.priority !== priority);
}

const isShared = (environments: readonly QueueEnvironment[], { id, priority }: QueueEnvironment): boolean =>
  environments.some((other) => other.id !== id && other.priority === priority);
