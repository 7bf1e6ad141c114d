import type { FarmId } from '../../core/ids.ts';
import type { Share } from '../../core/lease/committed-shares.ts';
import { TALLY_SLOTS_MAX, type Tallies } from '../../core/ports/tallies.ts';

/** Notifies the shards of a set (bit n is shard n) that the total of a slot has decreased. */
export type NotifyShards = (slot: number, shards: bigint) => void;

/** Memory for the tallies of one process: created by the main thread, shared with every shard. */
export interface TallyMemory {
  readonly totals: Int32Array<SharedArrayBuffer>;
  /** By slot, the shards to notify when its total decreases. */
  readonly waiting: BigUint64Array<SharedArrayBuffer>;
}

/** Returns new memory with the shares of the farms at the start. */
export function tallyMemory(shares: readonly Share[]): TallyMemory {
  const memory: TallyMemory = {
    totals: new Int32Array(new SharedArrayBuffer(TALLY_SLOTS_MAX * Int32Array.BYTES_PER_ELEMENT)),
    waiting: new BigUint64Array(new SharedArrayBuffer(TALLY_SLOTS_MAX * BigUint64Array.BYTES_PER_ELEMENT)),
  };
  for (const { slot, count } of shares) memory.totals[slot] = (memory.totals[slot] ?? 0) + count;
  return memory;
}

/** Returns the total of a slot over all farms. */
export const tallyOf = ({ totals }: TallyMemory, slot: number): number => Atomics.load(totals, slot);

/** The tallies of one shard: totals in shared memory, changed with Atomics, and the shares of its own farms. */
export class SharedTallies implements Tallies {
  private readonly memory: TallyMemory;
  private readonly shard: number;
  private readonly tell: NotifyShards;
  private readonly shares = new Map<string, number>();
  private readonly waitingFarms = new Map<number, Set<FarmId>>();

  /** `shares` are those of the shard's own farms that the memory already contains. */
  constructor(memory: TallyMemory, shard: number, shares: readonly Share[], tell: NotifyShards) {
    this.memory = memory;
    this.shard = shard;
    this.tell = tell;
    for (const { farmId, slot, count } of shares) this.shares.set(shareKey(farmId, slot), count);
  }

  total(slot: number): number {
    return Atomics.load(this.memory.totals, slot);
  }

  claim(farm: FarmId, slot: number, count: number, max: number): number {
    for (;;) {
      const total = Atomics.load(this.memory.totals, slot);
      const granted = Math.min(count, max - total);
      if (granted <= 0) return 0;
      if (Atomics.compareExchange(this.memory.totals, slot, total, total + granted) !== total) continue;
      this.setOwn(farm, slot, this.own(farm, slot) + granted);
      return granted;
    }
  }

  release(farm: FarmId, slot: number, count: number): void {
    this.setShare(farm, slot, this.own(farm, slot) - count);
  }

  setShare(farm: FarmId, slot: number, share: number): void {
    const before = this.own(farm, slot);
    const after = Math.max(0, share);
    if (after === before) return;
    this.setOwn(farm, slot, after);
    Atomics.add(this.memory.totals, slot, after - before);
    if (after > before) return;
    const waiting = Atomics.exchange(this.memory.waiting, slot, 0n);
    if (waiting !== 0n) this.tell(slot, waiting);
  }

  notifyWhenFreed(farm: FarmId, slot: number): void {
    const farms = this.waitingFarms.get(slot);
    if (farms === undefined) this.waitingFarms.set(slot, new Set([farm]));
    else farms.add(farm);
    Atomics.or(this.memory.waiting, slot, 1n << BigInt(this.shard));
  }

  /**
   * Returns and removes the farms of this shard that wait for the total of a slot to decrease. They must request it
   * again.
   */
  drainWaitingFarms(slot: number): readonly FarmId[] {
    const farms = [...(this.waitingFarms.get(slot) ?? [])];
    this.waitingFarms.delete(slot);
    return farms;
  }

  private own(farm: FarmId, slot: number): number {
    return this.shares.get(shareKey(farm, slot)) ?? 0;
  }

  private setOwn(farm: FarmId, slot: number, share: number): void {
    if (share === 0) this.shares.delete(shareKey(farm, slot));
    else this.shares.set(shareKey(farm, slot), share);
  }
}

const shareKey = (farm: FarmId, slot: number): string => `${farm} ${slot}`;
