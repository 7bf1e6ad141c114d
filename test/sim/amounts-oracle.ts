import type { BookedAmountsSetting } from '../../src/core/records/farm.ts';
import type { Holding } from '../../src/core/records/holding.ts';
import type { WorkerAmounts } from '../../src/core/lease/worker-amounts.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import { amountOf, coresNeeded, type OfferedWorker } from './eligibility-oracle.ts';

/**
 * Booked amounts, implemented a second time from docs/policy.md#booked-amounts. Simple, and without the code of the lease
 * actor.
 */
const GPU = 'amount.worker.gpu';
const GPU_MEMORY = 'amount.worker.gpu.memory';

interface Gpu {
  users: number;
  isWhole: boolean;
  memory: number;
}

/** Sums of amounts like 0.3 differ from their decimal values by less than this. */
const TOLERANCE = 1e-6;

/** Amounts that one task takes of a worker. */
interface Need {
  readonly sums: ReadonlyMap<string, number>;
  readonly gpus: number;
  readonly isWhole: boolean;
  readonly memoryOfEach: number;
}

function needOf(worker: OfferedWorker, needs: StepRequirements, setting: BookedAmountsSetting): Need {
  const cores = coresNeeded(worker, needs);
  const byShare = (total: number): number =>
    setting.byDefault === 'core_share' ? Math.floor((Math.floor(total) * cores) / worker.cpuCount) : 0;
  const named = (name: string): number | null => {
    const found = needs.amounts.filter((each) => each.name === name);
    return found.length === 0 ? null : Math.max(...found.map(({ min = 0 }) => min));
  };
  const sums = new Map<string, number>();
  for (const name of setting.names) {
    if (name === GPU || name === GPU_MEMORY) continue;
    const amount = named(name) ?? byShare(amountOf(worker, name));
    if (amount > 0) sums.set(name, amount);
  }
  const count = amountOf(worker, GPU);
  const each = amountOf(worker, GPU_MEMORY);
  const isGpuBooked = setting.names.includes(GPU);
  const isMemoryBooked = setting.names.includes(GPU_MEMORY);
  const whole = isGpuBooked ? (named(GPU) ?? byShare(count)) : 0;
  if (whole > 0)
    return {
      sums,
      gpus: whole,
      isWhole: true,
      memoryOfEach: isMemoryBooked ? (named(GPU_MEMORY) ?? 0) : 0,
    };
  const memory = named(GPU_MEMORY);
  const none = { sums, gpus: 0, isWhole: false, memoryOfEach: 0 };
  if (!isMemoryBooked || count === 0) return none;
  if (memory !== null)
    return memory === 0
      ? none
      : { sums, gpus: Math.max(1, named(GPU) ?? 1), isWhole: false, memoryOfEach: memory };
  const share = byShare(each * count);
  if (share === 0) return none;
  return share < each
    ? { sums, gpus: 1, isWhole: false, memoryOfEach: share }
    : { sums, gpus: Math.floor(share / each), isWhole: false, memoryOfEach: each };
}

/** Amounts that the tasks of one worker hold, as plain sums. */
export class HeldAmounts {
  readonly sums = new Map<string, number>();
  readonly gpus: Gpu[] = [];

  constructor(holdings: Iterable<Holding> = []) {
    for (const holding of holdings) this.add(holding);
  }

  /** Copies the counts of a lease actor. */
  static of(known: WorkerAmounts | undefined): HeldAmounts {
    const held = new HeldAmounts();
    for (const name of known?.names() ?? []) held.sums.set(name, known?.committed(name) ?? 0);
    for (const use of known?.gpuUses() ?? []) held.gpus.push({ ...use });
    return held;
  }

  add(holding: Holding): void {
    this.count(holding, 1);
  }

  remove(holding: Holding): void {
    this.count(holding, -1);
  }

  /** Returns what the next task of the step would hold, or null if it does not fit. */
  next(
    worker: OfferedWorker,
    needs: StepRequirements,
    setting: BookedAmountsSetting | undefined,
  ): Holding | null {
    if (setting === undefined) return {};
    const need = needOf(worker, needs, setting);
    for (const [name, amount] of need.sums)
      if ((this.sums.get(name) ?? 0) + amount > amountOf(worker, name) + TOLERANCE) return null;
    const gpus: number[] = [];
    for (let index = 0; index < amountOf(worker, GPU) && gpus.length < need.gpus; index++) {
      const gpu = this.gpus[index] ?? { users: 0, isWhole: false, memory: 0 };
      const hasRoom = need.isWhole
        ? gpu.users === 0
        : !gpu.isWhole && gpu.memory + need.memoryOfEach <= amountOf(worker, GPU_MEMORY) + TOLERANCE;
      if (hasRoom) gpus.push(index);
    }
    if (gpus.length < need.gpus) return null;
    const amounts = new Map(need.sums);
    if (need.isWhole) amounts.set(GPU, need.gpus);
    if (need.memoryOfEach > 0) amounts.set(GPU_MEMORY, need.memoryOfEach * need.gpus);
    return {
      ...(amounts.size > 0 && { amounts: Object.fromEntries(amounts) }),
      ...(gpus.length > 0 && { gpus }),
    };
  }

  /** Returns a dimension in which more is held than the worker has, or null. */
  excess(worker: OfferedWorker): string | null {
    for (const [name, amount] of this.sums) {
      const total = amountOf(worker, name) * (name === GPU_MEMORY ? amountOf(worker, GPU) : 1);
      if (amount > total + TOLERANCE) return `${amount} of ${total} ${name}`;
    }
    for (const [index, { users, isWhole, memory }] of this.gpus.entries()) {
      if (index >= amountOf(worker, GPU)) return `GPU ${index} of ${amountOf(worker, GPU)}`;
      if (isWhole && users > 1) return `GPU ${index} with ${users} tasks, one of which has it for itself`;
      if (memory > amountOf(worker, GPU_MEMORY) + TOLERANCE) return `${memory} MiB of GPU ${index}`;
    }
    return null;
  }

  /** Returns a text that is equal if the same is held. */
  get text(): string {
    const rounded = (amount: number): number => Math.round(amount * 1000);
    const sums = [...this.sums].filter(([, amount]) => rounded(amount) !== 0).sort();
    const gpus = this.gpus.flatMap(({ users, isWhole, memory }, index) =>
      users === 0 ? [] : [`${index}: ${users} ${isWhole} ${rounded(memory)}`],
    );
    return [...sums.map(([name, amount]) => `${name} ${rounded(amount)}`), ...gpus].join(', ');
  }

  private count({ amounts = {}, gpus = [] }: Holding, change: number): void {
    for (const [name, amount] of Object.entries(amounts))
      this.sums.set(name, (this.sums.get(name) ?? 0) + change * amount);
    for (const index of gpus) {
      while (this.gpus.length <= index) this.gpus.push({ users: 0, isWhole: false, memory: 0 });
      const gpu = this.gpus[index];
      if (gpu === undefined) continue;
      gpu.users += change;
      gpu.memory += (change * (amounts[GPU_MEMORY] ?? 0)) / gpus.length;
      if (change > 0 && amounts[GPU] !== undefined) gpu.isWhole = true;
      if (gpu.users === 0) gpu.isWhole = false;
    }
  }
}

/** Reports whether two holdings are the same. */
export const isSameHolding = (a: Holding | undefined, b: Holding): boolean =>
  new HeldAmounts(a === undefined ? [] : [a]).text === new HeldAmounts([b]).text;
