/**
 * Invariants: `used` and `gpus` are the sums of all holdings that were added and not removed. A name stays in `used`
 * with 0: a map that is emptied and refilled is reallocated each time (docs/performance.md). A GPU that a task has for
 * itself has no other user. Exits: `remove` takes a holding out.
 */

import { GPU, GPU_MEMORY } from '../../openjd/template/capabilities.ts';
import {
  amountOf,
  gpuCountOf,
  thousandths,
  totalOf,
  type AmountDemand,
  type BookedAmounts,
} from './booked-amounts.ts';
import type { Holding } from '../records/holding.ts';
import type { WorkerOffer } from './worker-offer.ts';

interface GpuUse {
  users: number;
  /** Whether its user has it for itself. */
  isWhole: boolean;
  /** Memory that its users take, in thousandths of a MiB. */
  memory: number;
}

/** An amount of which a worker has too little free for a task. */
export interface Shortage {
  readonly name: string;
  /** Amount that the task takes. */
  readonly needed: number;
  /** Free amount; for memory of GPUs, that of one GPU. */
  readonly free: number;
  readonly total: number;
}

/** The amounts of a worker whose farm books some. */
export interface AmountLedger {
  readonly farm: BookedAmounts;
  readonly worker: WorkerAmounts;
}

const NO_AMOUNTS: HeldAmounts = {};

type HeldAmounts = NonNullable<Holding['amounts']>;

interface CountedAmount {
  readonly name: string;
  /** In thousandths. */
  readonly counted: number;
}

/** The latest amounts: the tasks of one step take the same object of all workers of a kind. */
let latest: { readonly amounts: HeldAmounts; readonly counted: readonly CountedAmount[] } = {
  amounts: NO_AMOUNTS,
  counted: [],
};

function countedOf(amounts: HeldAmounts): readonly CountedAmount[] {
  if (latest.amounts !== amounts)
    latest = {
      amounts,
      counted: Object.entries(amounts).map(([name, amount]) => ({ name, counted: thousandths(amount) })),
    };
  return latest.counted;
}

/** The amounts that the tasks of one worker hold, besides cores. */
export class WorkerAmounts {
  private readonly offer: WorkerOffer;
  private readonly used = new Map<string, number>();
  private readonly gpus: GpuUse[] = [];

  constructor(offer: WorkerOffer, holdings: Iterable<Holding> = []) {
    this.offer = offer;
    for (const holding of holdings) this.add(holding);
  }

  /** Returns the amount that tasks hold. */
  committed(name: string): number {
    return amountOf(this.used.get(name) ?? 0);
  }

  /** Reports whether one more task fits. */
  fits(demand: AmountDemand): boolean {
    return this.sumsFor(demand, 1) === 1 && (demand.gpus === 0 || this.gpusFor(demand) !== null);
  }

  /** Takes the demand for up to `most` tasks, first fit. Returns one holding for each task that fits. */
  take(demand: AmountDemand, most: number): Holding[] {
    const count = this.sumsFor(demand, most);
    const holdings: Holding[] = [];
    while (holdings.length < count) {
      const gpus = demand.gpus === 0 ? [] : this.gpusFor(demand);
      if (gpus === null) break;
      const holding = holdingOf(demand, gpus);
      this.add(holding);
      holdings.push(holding);
    }
    return holdings;
  }

  add(holding: Holding): void {
    this.count(holding, 1);
  }

  remove(holding: Holding): void {
    this.count(holding, -1);
  }

  /** Returns the amounts that are too small for one more task; empty if it fits. */
  shortages(demand: AmountDemand): Shortage[] {
    const short: Shortage[] = [];
    for (const { name, counted, total } of demand.sums) {
      const free = total - (this.used.get(name) ?? 0);
      if (counted > free)
        short.push({
          name,
          needed: amountOf(counted),
          free: amountOf(Math.max(0, free)),
          total: amountOf(total),
        });
    }
    if (demand.gpus > 0 && this.gpusFor(demand) === null) short.push(this.gpuShortage(demand));
    return short;
  }

  /** Returns what tasks hold of the GPUs up to the last one in use: its users, and its memory in MiB. */
  gpuUses(): readonly { readonly users: number; readonly isWhole: boolean; readonly memory: number }[] {
    return this.gpus.map(({ memory, ...use }) => ({ ...use, memory: amountOf(memory) }));
  }

  /** Returns the names of the amounts that tasks hold. */
  names(): readonly string[] {
    return [...this.used].flatMap(([name, counted]) => (counted === 0 ? [] : [name]));
  }

  /** Returns a text that is equal for workers of one kind on which the same tasks fit. */
  get key(): string {
    const used = [...this.used].filter(([, counted]) => counted !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify([
      used,
      this.gpus.map(({ users, isWhole, memory }) => [users > 0, isWhole, memory]),
    ]);
  }

  private gpuShortage(demand: AmountDemand): Shortage {
    const count = this.gpuCount;
    const each = totalOf(this.offer, GPU_MEMORY);
    const uses = Array.from({ length: count }, (_unused, index) => this.gpus[index]);
    if (!demand.sharesGpus) {
      const free = uses.filter((use) => (use?.users ?? 0) === 0).length;
      return { name: GPU, needed: demand.gpus, free, total: count };
    }
    const left = uses.map((use) => (use?.isWhole === true ? 0 : each - (use?.memory ?? 0)));
    const free = Math.max(0, ...left);
    return {
      name: GPU_MEMORY,
      needed: amountOf(demand.gpuMemory),
      free: amountOf(free),
      total: amountOf(each),
    };
  }

  private get gpuCount(): number {
    return gpuCountOf(this.offer);
  }

  /** Returns how many tasks fit by the amounts that are not on a GPU, at most `most`. */
  private sumsFor(demand: AmountDemand, most: number): number {
    let count = most;
    for (const { name, counted, total } of demand.sums) {
      const free = total - (this.used.get(name) ?? 0);
      if (counted * count > free) count = Math.max(0, Math.floor(free / counted));
    }
    return count;
  }

  /** Returns the GPUs with the lowest indices that have room for the task; null if too few have. */
  private gpusFor({ gpus, sharesGpus, gpuMemory }: AmountDemand): number[] | null {
    const each = sharesGpus ? totalOf(this.offer, GPU_MEMORY) : 0;
    const found: number[] = [];
    for (let index = 0; index < this.gpuCount && found.length < gpus; index++) {
      const use = this.gpus[index];
      const hasRoom = sharesGpus
        ? use?.isWhole !== true && (use?.memory ?? 0) + gpuMemory <= each
        : (use?.users ?? 0) === 0;
      if (hasRoom) found.push(index);
    }
    return found.length < gpus ? null : found;
  }

  private count({ amounts = NO_AMOUNTS, gpus }: Holding, change: 1 | -1): void {
    for (const { name, counted } of countedOf(amounts))
      this.used.set(name, (this.used.get(name) ?? 0) + change * counted);
    if (gpus === undefined || gpus.length === 0) return;
    const memory = thousandths((amounts[GPU_MEMORY] ?? 0) / gpus.length);
    for (const index of gpus) {
      const use = this.useOf(index);
      use.users += change;
      use.memory += change * memory;
      use.isWhole = use.users > 0 && (change === 1 ? amounts[GPU] !== undefined : use.isWhole);
    }
  }

  private useOf(index: number): GpuUse {
    for (let next = this.gpus.length; next <= index; next++)
      this.gpus.push({ users: 0, isWhole: false, memory: 0 });
    const use = this.gpus[index];
    if (use === undefined) throw new Error(`there is no GPU ${index}`);
    return use;
  }
}

const holdingOf = (
  { holding, amounts, gpus: count, policyVersion }: AmountDemand,
  gpus: readonly number[],
): Holding => (count > 0 ? { amounts, gpus, policyVersion } : holding);
