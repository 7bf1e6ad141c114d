import type { AttemptId } from '../ids.ts';
import type { LogMessage } from '../wire/bus-messages.ts';

/**
 * Logs on the worker's own disk while the bus is unreachable. They survive a restart of the agent, but not a power
 * failure. The calls for one attempt take effect in their order.
 */
export interface LogSpool {
  /**
   * Appends chunks. `isLast`: they may use the space reserved for the ends of attempts. Never rejects: the result
   * contains how many chunks were kept.
   */
  append(attemptId: AttemptId, chunks: readonly LogMessage[], isLast: boolean): Promise<SpoolOutcome>;
  /** Returns up to `most` of the first chunks; an empty list if there are none, or none is readable. Never rejects. */
  front(attemptId: AttemptId, most: number): Promise<readonly LogMessage[]>;
  /** Removes the first `count` chunks of the latest `front`. Returns whether there are more. Never rejects. */
  removeFront(attemptId: AttemptId, count: number): Promise<boolean>;
}

export interface SpoolOutcome {
  /** How many of the chunks, from the first on, are kept. */
  readonly kept: number;
  /** Why the rest is not kept; null if all are. */
  readonly failure: string | null;
}
