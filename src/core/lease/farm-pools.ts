import type { FarmId } from '../ids.ts';
import type { Tallies } from '../ports/tallies.ts';
import { poolKey, type UsagePoolRecord } from '../records/usage-pool.ts';

interface Pool {
  readonly slot: number;
  readonly maxConcurrent: number;
}

/** Live tasks that hold a slot of each of these pools. */
interface Holding {
  readonly pools: readonly string[];
  readonly live: number;
}

/**
 * The slots of usage pools that the live tasks of one farm hold (docs/contract/usage-pools.md): each
 * task one of every pool that its step names. All farms share the pools. A slot is claimed at once and given back only
 * after the commit that closes its task: `takeReleased` says which.
 */
export class FarmPools {
  private readonly farmId: FarmId;
  private readonly tallies: Tallies;
  private pools = new Map<string, Pool>();
  /** Live tasks of the farm by pool, registered or not. */
  private readonly live = new Map<string, number>();
  /** By slot. */
  private readonly released = new Map<number, number>();
  /** Before the farm's live tasks are counted nothing is claimed. */
  private isCounted = false;

  constructor(farmId: FarmId, tallies: Tallies) {
    this.farmId = farmId;
    this.tallies = tallies;
  }

  /** The pools that are registered now, in place of those that were. */
  register(pools: readonly UsagePoolRecord[]): void {
    const before = this.pools;
    this.pools = new Map(pools.map((pool) => [poolKey(pool.name), pool]));
    for (const [name, { slot }] of before) {
      if (this.pools.get(name)?.slot === slot) continue;
      this.released.delete(slot);
      this.tallies.setShare(this.farmId, slot, 0);
    }
    if (!this.isCounted) return;
    for (const [name, { slot }] of this.pools) {
      if (before.get(name)?.slot !== slot) this.tallies.setShare(this.farmId, slot, this.liveTasks(name));
    }
  }

  /** Every live task of the farm is known by now. */
  counted(): void {
    this.isCounted = true;
    for (const [name, { slot }] of this.pools) this.tallies.setShare(this.farmId, slot, this.liveTasks(name));
  }

  /**
   * How many more tasks may hold a slot of each of these pools: none of a pool that is not registered. Who finds a pool
   * full is told when a slot of it is given back, whichever farm has it.
   */
  room(names: readonly string[]): number {
    let room = names.length > 0 && !this.isCounted ? 0 : Infinity;
    for (const name of names) {
      const pool = this.pools.get(name);
      room = Math.min(room, pool === undefined ? 0 : this.roomOf(pool));
    }
    return Math.max(0, room);
  }

  /** Claims a slot of each of these pools for up to `count` tasks; for how many it could. */
  claim(names: readonly string[], count: number): number {
    if (names.length === 0) return count;
    if (!this.isCounted) return 0;
    const claimed: { readonly slot: number; readonly granted: number }[] = [];
    let granted = count;
    for (const name of names) {
      const pool = this.pools.get(name);
      granted =
        pool === undefined ? 0 : this.tallies.claim(this.farmId, pool.slot, granted, pool.maxConcurrent);
      if (pool !== undefined) claimed.push({ slot: pool.slot, granted });
      if (granted === 0) break;
    }
    for (const each of claimed) {
      if (each.granted > granted) this.tallies.release(this.farmId, each.slot, each.granted - granted);
    }
    this.countLive(names, granted);
    return granted;
  }

  /** Counts tasks that are live already. */
  private hold(names: readonly string[], count: number): void {
    this.countLive(names, count);
    if (!this.isCounted) return;
    for (const name of names) {
      const pool = this.pools.get(name);
      if (pool !== undefined) this.tallies.claim(this.farmId, pool.slot, count, Infinity);
    }
  }

  /** Live tasks of a step are known anew: what they hold now, in place of what they held. */
  recount(before: Holding, after: Holding): void {
    for (const name of new Set([...before.pools, ...after.pools])) {
      const change =
        (after.pools.includes(name) ? after.live : 0) - (before.pools.includes(name) ? before.live : 0);
      if (change > 0) this.hold([name], change);
      if (change < 0) this.release([name], -change);
    }
  }

  /** Tasks are live no longer: their slots are given back with `takeReleased`. */
  release(names: readonly string[], count: number): void {
    this.countLive(names, -count);
    if (!this.isCounted) return;
    for (const name of names) {
      const pool = this.pools.get(name);
      if (pool !== undefined) this.released.set(pool.slot, (this.released.get(pool.slot) ?? 0) + count);
    }
  }

  /** What was released since the last time. */
  takeReleased(): readonly { readonly slot: number; readonly count: number }[] {
    if (this.released.size === 0) return [];
    const released = [...this.released].map(([slot, count]) => ({ slot, count }));
    this.released.clear();
    return released;
  }

  /** The pool whose claims are counted under the slot, in lower case; null when it is none. */
  nameOf(slot: number): string | null {
    for (const [name, pool] of this.pools) if (pool.slot === slot) return name;
    return null;
  }

  /** What is registered and held of a pool. `name` is in lower case. */
  stateOf(name: string): { readonly maxConcurrent: number; readonly inUse: number } {
    const pool = this.pools.get(name);
    if (pool === undefined) return { maxConcurrent: 0, inUse: this.liveTasks(name) };
    return { maxConcurrent: pool.maxConcurrent, inUse: this.tallies.total(pool.slot) };
  }

  /** Live tasks of this farm that hold a slot of the pool. */
  liveTasks(name: string): number {
    return this.live.get(name) ?? 0;
  }

  /** A slot that is given back between the look and the wish to be told would never be told of: so it looks twice. */
  private roomOf({ slot, maxConcurrent }: Pool): number {
    const room = maxConcurrent - this.tallies.total(slot);
    if (room > 0) return room;
    this.tallies.notifyWhenFreed(this.farmId, slot);
    return maxConcurrent - this.tallies.total(slot);
  }

  private countLive(names: readonly string[], change: number): void {
    for (const name of names) {
      const live = this.liveTasks(name) + change;
      if (live === 0) this.live.delete(name);
      else this.live.set(name, live);
    }
  }
}
