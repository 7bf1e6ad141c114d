import { ONLINE_WORKERS_SLOT, TALLY_SLOTS_MAX } from '../../../src/core/ports/tallies.ts';

/** Maximum number of usage pools, including those deleted since the start of the process. */
export const POOLS_MAX = TALLY_SLOTS_MAX - ONLINE_WORKERS_SLOT - 1;

/**
 * Allocates the slots of usage pools. A slot is never reused while the process runs, because claims on a deleted pool
 * may still be counted under it. Kept outside the actor's state, which only has existing pools.
 */
export class PoolSlots {
  private readonly used = new Set<number>();
  private next = ONLINE_WORKERS_SLOT + 1;

  /** Marks the slot of a stored pool as used. */
  keep(slot: number): void {
    this.used.add(slot);
  }

  /** Returns the lowest slot that was never used, or null if all were. */
  take(): number | null {
    while (this.used.has(this.next)) this.next++;
    if (this.next >= TALLY_SLOTS_MAX) return null;
    this.used.add(this.next);
    return this.next;
  }
}
