import { GPU, GPU_MEMORY } from '../../openjd/template/capabilities.ts';
import type { StepRequirements } from '../../openjd/template/plan.ts';
import type { BookedAmountsSetting } from '../records/farm.ts';
import type { Holding } from '../records/holding.ts';
import { coresOf } from './eligibility.ts';
import type { WorkerOffer } from './worker-offer.ts';

const NOTHING_HELD: Holding = {};

/** Amounts are counted in thousandths, so that sums are exact. */
const PER_UNIT = 1000;
/** Removes the error of a binary fraction before a rounding: 0.29 is 290 thousandths, not 291. */
const EXACT = 1e6;

/** Returns the amount in thousandths, rounded up. */
export const thousandths = (amount: number): number =>
  Number.isInteger(amount) ? amount * PER_UNIT : Math.ceil(Math.round(amount * PER_UNIT * EXACT) / EXACT);

/** Returns the amount of a number of thousandths. */
export const amountOf = (counted: number): number => counted / PER_UNIT;

/** Amounts that one task of a step takes of workers of one kind. */
export interface AmountDemand {
  /** Amounts that are not on a GPU, in thousandths; each above 0. */
  readonly sums: readonly {
    readonly name: string;
    readonly counted: number;
    /** Amount of a worker of the kind. */
    readonly total: number;
  }[];
  /** Number of GPUs. */
  readonly gpus: number;
  /** Whether other tasks can run on its GPUs: it takes only memory of them. */
  readonly sharesGpus: boolean;
  /** Memory that it takes of each of its GPUs, in thousandths of a MiB. */
  readonly gpuMemory: number;
  /** All of it as a holding without indices. */
  readonly holding: Holding;
  readonly amounts: Readonly<Record<string, number>>;
  /** Version of the farm's setting. */
  readonly policyVersion: number;
}

/** The amounts that a farm books, and the demand of each step on each kind of worker, which is computed once. */
export class BookedAmounts {
  readonly setting: BookedAmountsSetting;
  private readonly names: ReadonlySet<string>;
  /** By the signature of workers, then by requirements, which are immutable. */
  private readonly demands = new Map<string, WeakMap<StepRequirements, AmountDemand>>();

  constructor(setting: BookedAmountsSetting) {
    this.setting = setting;
    this.names = new Set(setting.names);
  }

  /** Returns what one task with the requirements takes of the worker, which is eligible for it. */
  demandOf(requirements: StepRequirements, worker: WorkerOffer): AmountDemand {
    let ofKind = this.demands.get(worker.signature);
    if (ofKind === undefined) {
      if (this.demands.size >= KINDS_MAX) this.demands.clear();
      ofKind = new WeakMap();
      this.demands.set(worker.signature, ofKind);
    }
    let demand = ofKind.get(requirements);
    if (demand === undefined) {
      demand = this.workOut(requirements, worker);
      ofKind.set(requirements, demand);
    }
    return demand;
  }

  private workOut(requirements: StepRequirements, worker: WorkerOffer): AmountDemand {
    const sums = this.setting.names.flatMap((name) => {
      if (name === GPU || name === GPU_MEMORY) return [];
      const total = totalOf(worker, name);
      const wanted = wantedOf(requirements, name) ?? this.defaultOf(total, requirements, worker);
      // A requirement that the worker meets never exceeds its total, except by the rounding.
      const counted = Math.min(wanted, Math.max(0, total));
      return counted > 0 ? [{ name, counted, total }] : [];
    });
    const onGpus = this.gpuDemand(requirements, worker);
    const held: [string, number][] = sums.map(({ name, counted }) => [name, amountOf(counted)]);
    if (onGpus.gpus > 0 && !onGpus.sharesGpus) held.push([GPU, onGpus.gpus]);
    if (onGpus.gpuMemory > 0) held.push([GPU_MEMORY, amountOf(onGpus.gpuMemory * onGpus.gpus)]);
    const { version: policyVersion } = this.setting;
    const amounts = Object.fromEntries(held);
    const holding = held.length === 0 ? NOTHING_HELD : { amounts, policyVersion };
    return { sums, ...onGpus, holding, amounts, policyVersion };
  }

  /**
   * Returns the GPUs of a task. Memory is that of each GPU, as in the requirement. Where whole GPUs are booked too, a
   * task that takes some has them for itself.
   */
  private gpuDemand(
    requirements: StepRequirements,
    worker: WorkerOffer,
  ): Pick<AmountDemand, 'gpus' | 'sharesGpus' | 'gpuMemory'> {
    const count = gpuCountOf(worker);
    const books = { gpus: this.names.has(GPU), memory: this.names.has(GPU_MEMORY) };
    const none = { gpus: 0, sharesGpus: false, gpuMemory: 0 };
    if (count === 0 || (!books.gpus && !books.memory)) return none;
    const each = totalOf(worker, GPU_MEMORY);
    const named = wantedOf(requirements, GPU);
    const shared = this.shareOf(count, requirements, worker);
    const memory = books.memory ? wantedOf(requirements, GPU_MEMORY) : 0;
    const whole = named === null ? shared : Math.min(count, Math.ceil(amountOf(named)));
    if (books.gpus && whole > 0)
      return { gpus: whole, sharesGpus: false, gpuMemory: Math.min(memory ?? 0, each) };
    if (!books.memory) return none;
    if (memory !== null)
      return memory === 0 || each === 0
        ? none
        : {
            gpus: Math.max(1, named === null ? 1 : whole),
            sharesGpus: true,
            gpuMemory: Math.min(memory, each),
          };
    const wanted = this.defaultOf(each * count, requirements, worker);
    if (wanted === 0) return none;
    return wanted < each
      ? { gpus: 1, sharesGpus: true, gpuMemory: wanted }
      : { gpus: Math.floor(wanted / each), sharesGpus: true, gpuMemory: each };
  }

  /** Returns what a step that does not name an amount takes of this total: thousandths of a whole number. */
  private defaultOf(total: number, requirements: StepRequirements, worker: WorkerOffer): number {
    return this.shareOf(Math.floor(total / PER_UNIT), requirements, worker) * PER_UNIT;
  }

  /** Returns the share of a whole number that a step takes by default, rounded down. */
  private shareOf(total: number, requirements: StepRequirements, { cpuCount }: WorkerOffer): number {
    if (this.setting.byDefault === 'none') return 0;
    return Math.floor((total * coresOf(requirements, cpuCount)) / cpuCount);
  }
}

/** Maximum number of kinds of workers whose demands are kept. */
const KINDS_MAX = 10_000;

/** Returns the total of the amount in thousandths; for memory of GPUs that of one GPU. */
export const totalOf = (worker: WorkerOffer, name: string): number =>
  Math.floor((worker.amounts.get(name) ?? 0) * PER_UNIT);

/** Returns the number of GPUs of the worker. */
export const gpuCountOf = (worker: WorkerOffer): number => Math.floor(worker.amounts.get(GPU) ?? 0);

/** Returns the amount that the requirements name, in thousandths; null if they do not name it. */
function wantedOf({ amounts }: StepRequirements, name: string): number | null {
  let wanted: number | null = null;
  for (const each of amounts)
    if (each.name === name) wanted = Math.max(wanted ?? 0, thousandths(each.min ?? 0));
  return wanted;
}
