import type { FarmId } from '../ids.ts';

/**
 * Numbers that every farm adds its share to and every shard reads at once (docs/architecture.md#threads): how many
 * workers are online, and how many slots of each usage pool are claimed. A slot is the number of what is counted.
 */
export interface Tallies {
  /** The sum over all farms. */
  total(slot: number): number;
  /** Adds up to `count` to the farm's share, as long as the total does not pass `max`; how much was added. */
  claim(farm: FarmId, slot: number, count: number, max: number): number;
  /** Takes `count` off the farm's share, or all of it when it is less. */
  release(farm: FarmId, slot: number, count: number): void;
  /** Sets the farm's share, whatever the total becomes. */
  setShare(farm: FarmId, slot: number, share: number): void;
  /** The farm's lease actor wants to be told (`capacity.freed`) when the total of the slot falls. */
  notifyWhenFreed(farm: FarmId, slot: number): void;
}

/** The slot of workers that are online. Usage pools have the slots from 1 on. */
export const ONLINE_WORKERS_SLOT = 0;

/** Slots that can be counted under: usage pools that were made between two starts of the service, and the other slots. */
export const TALLY_SLOTS_MAX = 65_536;
