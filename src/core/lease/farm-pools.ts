/**
 * States: not counted (nothing is claimed), counted. Invariants: `live` has every live task by pool, registered or not.
 * Once counted, the farm's share of a slot is its live tasks plus the claims whose release is not committed yet. Exits:
 * `takeReleased` returns released slots; a pool that is no longer registered loses its share at once.
 */

import type { FarmId } from '../ids.ts';
import type { PoolExplanation } from './explanation.ts';
import type { Tallies } from '../ports/tallies.ts';
import { isHeldBack, type PoolHold } from '../retry-rules/pool-hold.ts';
import { poolKey, type UsagePoolRecord } from '../records/usage-pool.ts';

interface Pool {
  readonly slot: number;
  readonly maxConcurrent: number;
  readonly hold?: PoolHold;
}

/** Live tasks that hold a slot of each of these pools. */
interface Holding {
  readonly pools: readonly string[];
  readonly live: number;
}

/**
 * The slots of usage pools that the live tasks of one farm hold (docs/contract/usage-pools.md): each task holds one
 * slot of every pool that its step names. All farms share the pools. A slot is claimed immediately, but released only
 * after the commit that closes its task: `takeReleased` returns those slots.
 */
export class FarmPools {
  private readonly farmId: FarmId;
  private readonly tallies: Tallies;
  private pools = new Map<string, Pool>();
  /** Registered pools that are held back. */
  private readonly held = new Set<string>();
  /** Live tasks of the farm by pool, registered or not. */
  private readonly live = new Map<string, number>();
  /** Number of released claims by slot. */
  private readonly released = new Map<number, number>();
  /** Nothing is claimed until the farm's live tasks are counted. */
  private isCounted = false;

  constructor(farmId: FarmId, tallies: Tallies) {
    this.farmId = farmId;
    this.tallies = tallies;
  }

  /** Replaces the registered pools. `now` decides which of them are held back; `updateHolds` follows the time. */
  register(pools: readonly UsagePoolRecord[], now: number): void {
    const before = this.pools;
    this.pools = new Map(pools.map((pool) => [poolKey(pool.name), pool]));
    this.updateHolds(now);
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

  /** Notes which pools are held back at `now`. Returns those that no longer are, in lower case. */
  updateHolds(now: number): readonly string[] {
    const ended: string[] = [];
    for (const name of [...this.held].sort())
      if (!isHeldBack(this.pools.get(name)?.hold, now)) ended.push(name);
    for (const name of ended) this.held.delete(name);
    for (const [name, { hold }] of this.pools) if (isHeldBack(hold, now)) this.held.add(name);
    return ended;
  }

  /** Returns the end of the hold that ends first, in milliseconds since the epoch; null if no pool is held back. */
  nextHoldEnd(): number | null {
    let first: number | null = null;
    for (const name of this.held) {
      const until = this.pools.get(name)?.hold?.until;
      if (until !== undefined && (first === null || until < first)) first = until;
    }
    return first;
  }

  /** Marks the live tasks of the farm as counted. */
  counted(): void {
    this.isCounted = true;
    for (const [name, { slot }] of this.pools) this.tallies.setShare(this.farmId, slot, this.liveTasks(name));
  }

  /**
   * Returns how many more tasks may hold a slot of each of these pools: 0 if one is not registered or held back. If a pool is full,
   * the farm is notified when any farm releases a slot of it.
   */
  room(names: readonly string[]): number {
    let room = names.length > 0 && !this.isCounted ? 0 : Infinity;
    for (const name of names) {
      const pool = this.pools.get(name);
      room = Math.min(room, pool === undefined || this.held.has(name) ? 0 : this.roomOf(pool));
    }
    return Math.max(0, room);
  }

  /** Claims a slot of each of these pools for up to `count` tasks. Returns the number of tasks with slots. */
  claim(names: readonly string[], count: number): number {
    if (names.length === 0) return count;
    if (!this.isCounted) return 0;
    const claimed: { readonly slot: number; readonly granted: number }[] = [];
    let granted = count;
    for (const name of names) {
      const pool = this.pools.get(name);
      granted =
        pool === undefined || this.held.has(name)
          ? 0
          : this.tallies.claim(this.farmId, pool.slot, granted, pool.maxConcurrent);
      if (pool !== undefined) claimed.push({ slot: pool.slot, granted });
      if (granted === 0) break;
    }
    for (const each of claimed) {
      if (each.granted > granted) this.tallies.release(this.farmId, each.slot, each.granted - granted);
    }
    this.countLive(names, granted);
    return granted;
  }

  /** Counts tasks that are already live. */
  private hold(names: readonly string[], count: number): void {
    this.countLive(names, count);
    if (!this.isCounted) return;
    for (const name of names) {
      const pool = this.pools.get(name);
      if (pool !== undefined) this.tallies.claim(this.farmId, pool.slot, count, Infinity);
    }
  }

  /** Replaces the slots that the live tasks of a step hold. */
  recount(before: Holding, after: Holding): void {
    for (const name of new Set([...before.pools, ...after.pools])) {
      const change =
        (after.pools.includes(name) ? after.live : 0) - (before.pools.includes(name) ? before.live : 0);
      if (change > 0) this.hold([name], change);
      if (change < 0) this.release([name], -change);
    }
  }

  /** Counts tasks that are no longer live: `takeReleased` returns their slots. */
  release(names: readonly string[], count: number): void {
    this.countLive(names, -count);
    if (!this.isCounted) return;
    for (const name of names) {
      const pool = this.pools.get(name);
      if (pool !== undefined) this.released.set(pool.slot, (this.released.get(pool.slot) ?? 0) + count);
    }
  }

  /** Returns the slots released since the previous call. */
  takeReleased(): readonly { readonly slot: number; readonly count: number }[] {
    if (this.released.size === 0) return [];
    const released = [...this.released].map(([slot, count]) => ({ slot, count }));
    this.released.clear();
    return released;
  }

  /** Returns the pool of the slot, in lower case, or null if no pool has it. */
  nameOf(slot: number): string | null {
    for (const [name, pool] of this.pools) if (pool.slot === slot) return name;
    return null;
  }

  /** Returns the slots of a pool, null if it is not registered, its claimed slots, and its hold. `name` is in lower case. */
  stateOf(name: string): Pick<PoolExplanation, 'maxConcurrent' | 'inUse' | 'hold'> {
    const pool = this.pools.get(name);
    if (pool === undefined) return { maxConcurrent: null, inUse: this.liveTasks(name) };
    const { hold, maxConcurrent, slot } = pool;
    const isHeld = hold !== undefined && this.held.has(name);
    return { maxConcurrent, inUse: this.tallies.total(slot), ...(isHeld && { hold }) };
  }

  /** Returns the number of live tasks of this farm that hold a slot of the pool. */
  liveTasks(name: string): number {
    return this.live.get(name) ?? 0;
  }

  /**
   * Reads the total again after the request for a notification: a slot released between the two would otherwise be
   * missed.
   */
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
