/**
 * States of a message: held, released (final). Invariants: held messages are released in the order of their arrival as far as they
 * are ready together. Exits: release; `stop` drops the rest, which the bus delivers again.
 */

import { SharedStanding, steadyMs, type StandingMemory } from '../../src/adapters/cluster/standing.ts';

const LOOK_AGAIN_MS = 50;

interface Held {
  readonly arrivedMs: number;
  readonly isKnown: () => boolean;
  readonly release: () => void;
}

/**
 * Holds messages of workers on a node of a cluster whose state may be behind: a job or an attempt that is not in its store may not
 * be applied yet. It certainly does not exist when this node has become current after the message arrived.
 */
export class StateGate {
  readonly #standing: Pick<SharedStanding, 'read' | 'canAnswer'>;
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;

  constructor(standing: StandingMemory) {
    this.#standing = new SharedStanding(standing);
    this.#timer = setInterval(() => this.#look(), LOOK_AGAIN_MS);
  }

  /**
   * Releases a message when `isKnown` returns true, or when this node is current.
   *
   * @param key - A message that is delivered again replaces the one that is held.
   */
  pass(key: string, isKnown: () => boolean, release: () => void): void {
    const before = this.#held.get(key);
    if (before === undefined && isKnown()) {
      release();
      return;
    }
    this.#held.set(key, { arrivedMs: before?.arrivedMs ?? steadyMs(), isKnown, release });
  }

  /** True if this node has shown everything at a time after the given one, by `steadyMs`. */
  isCurrentSince(atMs: number): boolean {
    return this.#standing.read().currentAtMs > atMs;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#held.clear();
  }

  #look(): void {
    for (const [key, { arrivedMs, isKnown, release }] of this.#held) {
      if (!this.isCurrentSince(arrivedMs) && !isKnown()) continue;
      this.#held.delete(key);
      release();
    }
  }
}
