import type { FarmId } from '../ids.ts';

/**
 * Totals over all farms that every shard reads immediately (docs/architecture.md#threads): the number of online
 * workers, and the claimed slots of each usage pool. A slot is the number of a total.
 */
export interface Tallies {
  /** The sum over all farms. */
  total(slot: number): number;
  /** Adds up to `count` to the farm's share, while the total stays within `max`. Returns the added number. */
  claim(farm: FarmId, slot: number, count: number, max: number): number;
  /** Subtracts `count` from the farm's share, or all of it if the share is smaller. */
  release(farm: FarmId, slot: number, count: number): void;
  /** Sets the farm's share, even if the total exceeds a limit. */
  setShare(farm: FarmId, slot: number, share: number): void;
  /** Requests `capacity.freed` for the farm's lease actor when the total of the slot falls. */
  notifyWhenFreed(farm: FarmId, slot: number): void;
}

/** The slot of online workers. Usage pools have the slots from 1 on. */
export const ONLINE_WORKERS_SLOT = 0;

/** Number of slots: usage pools created between two starts of the service, plus the other slots. */
export const TALLY_SLOTS_MAX = 65_536;
