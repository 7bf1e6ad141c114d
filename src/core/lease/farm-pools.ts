/**
 * States: not counted (nothing is claimed), counted. Invariants: `loads` has every live task by pool, registered or not.
 * Once counted, the farm's share of a slot is what its live tasks hold plus the claims whose release is not committed yet. Exits:
 * `takeReleased` returns released slots; a pool that is no longer registered loses its share at once.
 */

import type { FarmId, WorkerId } from '../ids.ts';
import type { PoolExplanation } from './explanation.ts';
import type { Tallies } from '../ports/tallies.ts';
import { effectiveSlots, type MeasuredSlots } from '../pools/measured-slots.ts';
import { isHeldBack, type PoolHold } from '../retry-rules/pool-hold.ts';
import { PoolLoad, slotsOfTask, slotsPerTask, type PoolDemand } from './pool-load.ts';
import { poolKey, type PoolCounts, type UsagePoolRecord } from '../records/usage-pool.ts';

interface Pool {
  readonly slot: number;
  readonly maxConcurrent: number;
  /** The slots that it has now: fewer than `maxConcurrent` after such a measurement. */
  readonly slots: number;
  readonly measured?: MeasuredSlots;
  readonly counts?: PoolCounts;
  readonly hold?: PoolHold;
}

/** Live tasks of one step, each with its worker. */
export interface PoolHolders {
  readonly demand: PoolDemand;
  readonly workers: readonly WorkerId[];
}

/**
 * The slots of usage pools that the live tasks of one farm hold (docs/contract/usage-pools.md): each task holds one
 * slot of every pool that its step names, unless the pool counts otherwise (docs/policy.md#what-a-pool-counts). All farms share the pools. A slot is claimed immediately, but released only
 * after the commit that closes its task: `takeReleased` returns those slots.
 */
export class FarmPools {
  private readonly farmId: FarmId;
  private readonly tallies: Tallies;
  private pools = new Map<string, Pool>();
  /** Registered pools that are held back. */
  private readonly held = new Set<string>();
  /** Live tasks of the farm by pool, registered or not. */
  private readonly loads = new Map<string, PoolLoad>();
  private readonly hostOf = new Map<WorkerId, string>();
  /** Whether a host took a slot since the last `takeHostChange`. */
  private hasNewHost = false;
  /** Number of released claims by slot. */
  private readonly released = new Map<number, number>();
  /** Pools with an outage: how many tasks may start (docs/outages.md). */
  private outageRooms = new Map<string, 0 | 1>();
  /** Nothing is claimed until the farm's live tasks are counted. */
  private isCounted = false;

  constructor(farmId: FarmId, tallies: Tallies) {
    this.farmId = farmId;
    this.tallies = tallies;
  }

  /** Replaces the registered pools. `now` decides which of them are held back, and which measured slots count; `updateHolds` follows the time. */
  register(pools: readonly UsagePoolRecord[], now: number): void {
    const before = this.pools;
    this.pools = new Map(
      pools.map((pool) => [poolKey(pool.name), { ...pool, slots: effectiveSlots(pool, now) }]),
    );
    this.updateHolds(now);
    for (const [name, { slot }] of before) {
      if (this.pools.get(name)?.slot === slot) continue;
      this.released.delete(slot);
      this.tallies.setShare(this.farmId, slot, 0);
    }
    if (!this.isCounted) return;
    for (const [name, { slot, counts }] of this.pools) {
      const known = before.get(name);
      if (known?.slot === slot && known.counts === counts) continue;
      this.released.delete(slot);
      this.tallies.setShare(this.farmId, slot, this.shareOf(name));
    }
  }

  /** Notes the host of a worker. Slots of its tasks move with it. */
  setHost(worker: WorkerId, host: string): void {
    const from = this.host(worker);
    if (from === host) return;
    for (const [name, load] of this.loads)
      this.changeShare(name, () => {
        load.move(worker, from, host);
      });
    this.hostOf.set(worker, host);
  }

  /** Forgets the host of a deleted worker. */
  forgetWorker(worker: WorkerId): void {
    this.setHost(worker, worker);
    this.hostOf.delete(worker);
  }

  /** Reports whether a host took a slot of a pool since the previous call: its other workers may have room now. */
  takeHostChange(): boolean {
    const hasNewHost = this.hasNewHost;
    this.hasNewHost = false;
    return hasNewHost;
  }

  /** Reports whether one of these pools may have room on some workers only. */
  dependsOnHost({ pools }: PoolDemand): boolean {
    return pools.some((name) => this.pools.get(name)?.counts === 'hosts');
  }

  /**
   * Notes which pools are held back at `now`, and which measured slots count. Returns the pools that are no longer held
   * back or have more slots, in lower case.
   */
  updateHolds(now: number): readonly string[] {
    const freed = new Set<string>();
    for (const name of this.held) if (!isHeldBack(this.pools.get(name)?.hold, now)) freed.add(name);
    for (const name of freed) this.held.delete(name);
    for (const [name, pool] of this.pools) {
      if (isHeldBack(pool.hold, now)) this.held.add(name);
      const slots = effectiveSlots(pool, now);
      if (slots > pool.slots) freed.add(name);
      if (slots !== pool.slots) this.pools.set(name, { ...pool, slots });
    }
    return [...freed].sort();
  }

  /** Replaces how many tasks of pools with an outage may start. Returns the pools of which more may start than before. */
  setOutageRooms(rooms: ReadonlyMap<string, 0 | 1>): readonly string[] {
    const before = this.outageRooms;
    this.outageRooms = new Map(rooms);
    return [...before].flatMap(([name, room]) => ((rooms.get(name) ?? Infinity) > room ? [name] : []));
  }

  /**
   * Returns the first time, in milliseconds since the epoch, when a pool is no longer held back, or when slots that were
   * measured are too old to limit it; null if there is none.
   */
  nextHoldEnd(): number | null {
    const ends = [...this.pools].flatMap(([name, { hold, measured, slots, maxConcurrent }]) => [
      ...(hold !== undefined && this.held.has(name) ? [hold.until] : []),
      ...(measured !== undefined && slots < maxConcurrent ? [measured.until] : []),
    ]);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** Marks the live tasks of the farm as counted. */
  counted(): void {
    this.isCounted = true;
    for (const [name, { slot }] of this.pools) this.tallies.setShare(this.farmId, slot, this.shareOf(name));
  }

  /**
   * Returns how many more tasks may hold slots of their pools: 0 if a pool is not registered or held back. `worker`: the
   * worker of the tasks; null for any, where a pool that counts hosts has room as long as one host has. If a pool is
   * full, the farm is notified when any farm releases a slot of it.
   */
  room(demand: PoolDemand, worker: WorkerId | null): number {
    const { pools: names } = demand;
    let room = names.length > 0 && !this.isCounted ? 0 : Infinity;
    for (const name of names) {
      const pool = this.pools.get(name);
      if (pool === undefined || this.held.has(name)) return 0;
      room = Math.min(room, this.roomOf(name, pool, demand, worker), this.outageRooms.get(name) ?? Infinity);
    }
    return Math.max(0, room);
  }

  /** Claims slots of their pools for up to `count` tasks on the worker. Returns the number of tasks with slots. */
  claim(demand: PoolDemand, count: number, worker: WorkerId): number {
    const { pools: names } = demand;
    if (names.length === 0) return count;
    if (!this.isCounted) return 0;
    const claimed: { readonly pool: Pool; readonly name: string; readonly granted: number }[] = [];
    let granted = names.reduce((most, name) => Math.min(most, this.outageRooms.get(name) ?? most), count);
    if (granted === 0) return 0;
    for (const name of names) {
      const pool = this.pools.get(name);
      granted =
        pool === undefined || this.held.has(name) ? 0 : this.claimOf(name, pool, demand, granted, worker);
      if (pool !== undefined && granted > 0) claimed.push({ pool, name, granted });
      if (granted === 0) break;
    }
    for (const each of claimed) this.giveBack(each, demand, each.granted - granted, granted === 0, worker);
    if (granted === 0) return 0;
    for (const name of names) {
      this.hold(name, demand, granted, worker);
      if (this.outageRooms.has(name)) this.outageRooms.set(name, 0);
    }
    return granted;
  }

  /** Replaces the slots that the live tasks of a step hold. */
  recount(before: PoolHolders, after: PoolHolders): void {
    for (const name of new Set([...before.demand.pools, ...after.demand.pools]))
      this.changeShare(name, () => {
        this.addAll(name, before, -1);
        this.addAll(name, after, 1);
      });
  }

  /** Counts tasks that are no longer live on these workers: `takeReleased` returns their slots. */
  release(demand: PoolDemand, workers: readonly WorkerId[]): void {
    for (const name of demand.pools)
      this.changeShare(name, () => {
        this.addAll(name, { demand, workers }, -1);
      });
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

  /** Returns the slots that a pool has now, null if it is not registered, its claimed slots, its hold, and what limits its slots. `name` is in lower case. */
  stateOf(name: string): Pick<PoolExplanation, 'maxConcurrent' | 'inUse' | 'counts' | 'hold' | 'measured'> {
    const pool = this.pools.get(name);
    if (pool === undefined) return { maxConcurrent: null, inUse: this.liveTasks(name) };
    const { hold, counts, maxConcurrent, slots, measured, slot } = pool;
    const isHeld = hold !== undefined && this.held.has(name);
    return {
      maxConcurrent: slots,
      inUse: this.tallies.total(slot),
      ...(counts !== undefined && { counts }),
      ...(isHeld && { hold }),
      ...(measured !== undefined &&
        slots < maxConcurrent && { measured: { at: measured.at, maxConcurrent } }),
    };
  }

  /** Returns the number of live tasks of this farm that hold slots of the pool. */
  liveTasks(name: string): number {
    return this.loads.get(name)?.tasks ?? 0;
  }

  /** Reports whether a task on the worker's host holds a slot of the pool. */
  isOnHost(name: string, worker: WorkerId): boolean {
    return this.loads.get(name)?.hasHost(this.host(worker)) === true;
  }

  /** A worker that was never offered counts as a host of its own. */
  private host(worker: WorkerId): string {
    return this.hostOf.get(worker) ?? worker;
  }

  private load(name: string): PoolLoad {
    let load = this.loads.get(name);
    if (load === undefined) {
      load = new PoolLoad();
      this.loads.set(name, load);
    }
    return load;
  }

  private shareOf(name: string): number {
    return this.loads.get(name)?.share(this.pools.get(name)?.counts) ?? 0;
  }

  private addAll(name: string, { demand, workers }: PoolHolders, sign: 1 | -1): void {
    if (!demand.pools.includes(name)) return;
    const slots = slotsOfTask(demand, name);
    for (const worker of workers) this.load(name).add(worker, this.host(worker), sign, slots);
  }

  /** Changes the live tasks of a pool. Claims what the farm holds more, whatever the limit, and releases what it holds less. */
  private changeShare(name: string, change: () => void): void {
    const before = this.shareOf(name);
    change();
    const pool = this.pools.get(name);
    const more = this.shareOf(name) - before;
    if (this.loads.get(name)?.tasks === 0) this.loads.delete(name);
    if (pool === undefined || !this.isCounted) return;
    if (more > 0) this.tallies.claim(this.farmId, pool.slot, more, Infinity);
    if (more < 0) this.released.set(pool.slot, (this.released.get(pool.slot) ?? 0) - more);
  }

  /** Counts tasks whose slots are claimed. */
  private hold(name: string, demand: PoolDemand, tasks: number, worker: WorkerId): void {
    if (this.pools.get(name)?.counts === 'hosts' && !this.isOnHost(name, worker)) this.hasNewHost = true;
    this.load(name).add(worker, this.host(worker), tasks, slotsOfTask(demand, name));
  }

  private claimOf(name: string, pool: Pool, demand: PoolDemand, count: number, worker: WorkerId): number {
    const { slot, counts, slots: limit } = pool;
    if (counts === 'hosts') {
      if (this.isOnHost(name, worker)) return this.tallies.total(slot) <= limit ? count : 0;
      return this.tallies.claim(this.farmId, slot, 1, limit) === 1 ? count : 0;
    }
    const each = slotsPerTask(counts, demand, name);
    const slots = this.tallies.claim(this.farmId, slot, count * each, limit);
    const granted = Math.floor(slots / each);
    if (slots > granted * each) this.tallies.release(this.farmId, slot, slots - granted * each);
    return granted;
  }

  /** Releases the slots of tasks that did not get slots of all their pools. */
  private giveBack(
    { pool: { slot, counts }, name }: { readonly pool: Pool; readonly name: string },
    demand: PoolDemand,
    tasks: number,
    isNothingLeft: boolean,
    worker: WorkerId,
  ): void {
    const slots =
      counts === 'hosts'
        ? Number(isNothingLeft && !this.isOnHost(name, worker))
        : tasks * slotsPerTask(counts, demand, name);
    if (slots > 0) this.tallies.release(this.farmId, slot, slots);
  }

  private roomOf(name: string, pool: Pool, demand: PoolDemand, worker: WorkerId | null): number {
    if (pool.counts !== 'hosts')
      return Math.floor(
        this.freeSlots(pool, slotsPerTask(pool.counts, demand, name)) /
          slotsPerTask(pool.counts, demand, name),
      );
    const hasHost = worker === null ? this.liveTasks(name) > 0 : this.isOnHost(name, worker);
    // After the pool was made smaller, no host starts tasks until enough slots are free.
    const free = this.freeSlots(pool, 1);
    return free > 0 || (hasHost && free === 0) ? Infinity : 0;
  }

  /**
   * Returns the free slots. With fewer than are needed, reads the total again after the request for a notification: a slot released between the two would otherwise be
   * missed.
   */
  private freeSlots({ slot, slots: limit }: Pool, needed: number): number {
    const free = limit - this.tallies.total(slot);
    if (free >= needed) return free;
    this.tallies.notifyWhenFreed(this.farmId, slot);
    return limit - this.tallies.total(slot);
  }
}
