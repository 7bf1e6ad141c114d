import type { FarmId } from '../../core/ids.ts';
import { committedShares } from '../../core/lease/committed-shares.ts';
import type { StoreReader } from '../../core/ports/store.ts';
import type { Tallies } from '../../core/ports/tallies.ts';
import { SharedTallies, tallyMemory } from '../system/shared-tallies.ts';

/** The tallies of a service with one thread. They are re-created at every start of the service. */
export class LocalTallies implements Tallies {
  private tallies: SharedTallies;
  /** Notifies a farm's lease actor that a total it waits for has decreased. */
  onFreed: ((farm: FarmId, slot: number) => void) | null = null;

  constructor() {
    this.tallies = this.counted([]);
  }

  /** Starts the service with a committed state. */
  restart(reader: StoreReader): void {
    this.tallies = this.counted(committedShares(reader));
  }

  total(slot: number): number {
    return this.tallies.total(slot);
  }

  claim(farm: FarmId, slot: number, count: number, max: number): number {
    return this.tallies.claim(farm, slot, count, max);
  }

  release(farm: FarmId, slot: number, count: number): void {
    this.tallies.release(farm, slot, count);
  }

  setShare(farm: FarmId, slot: number, share: number): void {
    this.tallies.setShare(farm, slot, share);
  }

  notifyWhenFreed(farm: FarmId, slot: number): void {
    this.tallies.notifyWhenFreed(farm, slot);
  }

  private counted(shares: Parameters<typeof tallyMemory>[0]): SharedTallies {
    return new SharedTallies(tallyMemory(shares), 0, shares, (slot) => {
      for (const farm of this.tallies.drainWaitingFarms(slot)) this.onFreed?.(farm, slot);
    });
  }
}
