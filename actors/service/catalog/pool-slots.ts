import { ONLINE_WORKERS_SLOT, TALLY_SLOTS_MAX } from '../../../src/core/ports/tallies.ts';

/** How many usage pools there can be, those that were deleted since the start of the process among them. */
export const POOLS_MAX = TALLY_SLOTS_MAX - ONLINE_WORKERS_SLOT - 1;

/**
 * The slots of usage pools: none is given to a second pool as long as the process lives, because claims on the first one
 * may still be counted under it. Outlives the state of the actor, which knows of pools that exist alone.
 */
export class PoolSlots {
  private readonly used = new Set<number>();
  private next = ONLINE_WORKERS_SLOT + 1;

  /** A pool of the store has this slot. */
  keep(slot: number): void {
    this.used.add(slot);
  }

  /** The lowest slot that no pool has had, or null when there is none left. */
  take(): number | null {
    while (this.used.has(this.next)) this.next++;
    if (this.next >= TALLY_SLOTS_MAX) return null;
    this.used.add(this.next);
    return this.next;
  }
}
