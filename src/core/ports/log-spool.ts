import type { AttemptId } from '../ids.ts';
import type { LogMessage } from '../wire/bus-messages.ts';

/**
 * Logs on the worker's own disk while the bus is away. What is in it survives the daemon, though not a power cut. The calls
 * for one attempt take effect in their order.
 */
export interface LogSpool {
  /**
   * Adds chunks behind those that are there. `isLast`: they may use the room that is kept for the ends of attempts. Never
   * rejects: what has no room, or what the disk refuses, is not kept.
   */
  append(attemptId: AttemptId, chunks: readonly LogMessage[], isLast: boolean): Promise<SpoolOutcome>;
  /** The first chunks, `most` at the most; none when there are none, or none that can be read. Never rejects. */
  front(attemptId: AttemptId, most: number): Promise<readonly LogMessage[]>;
  /** Takes the first `count` of what `front` gave last away. Whether there are others. Never rejects. */
  removeFront(attemptId: AttemptId, count: number): Promise<boolean>;
}

export interface SpoolOutcome {
  /** How many of the chunks, from the first on, are kept. */
  readonly kept: number;
  /** Why not the rest; null when all are kept. */
  readonly failure: string | null;
}
