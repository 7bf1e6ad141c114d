import fc from 'fast-check';
import { test } from 'tap';
import { LocalTallies } from '../../../src/adapters/memory/local-tallies.ts';
import { farmId, jobId, queueId, workerId } from '../../../src/core/ids.ts';
import { BookedAmounts } from '../../../src/core/lease/booked-amounts.ts';
import type { BookedAmountsSetting } from '../../../src/core/records/farm.ts';
import type { Holding } from '../../../src/core/records/holding.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { ReadyIndex } from '../../../src/core/lease/ready-index.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';
import { WorkerAmounts } from '../../../src/core/lease/worker-amounts.ts';
import { WorkerKinds } from '../../../src/core/lease/worker-kinds.ts';
import type { AmountRequirement } from '../../../src/openjd/template/plan.ts';
import { requirements, workerOffer } from '../../kit/lease-parts.ts';

const MEMORY = 'amount.worker.memory';
const SCRATCH = 'amount.worker.disk.scratch';
const CACHE = 'amount.scene.cache';
const GPU = 'amount.worker.gpu';
const GPU_MEMORY = 'amount.worker.gpu.memory';
const CORES = 16;
const JOBS = 6;

/** A worker as a set of bins: one for each amount, and one for each GPU. */
interface Machine {
  readonly memory: number;
  readonly scratch: number;
  readonly cache: number;
  readonly gpus: number;
  readonly gpuMemory: number;
}

interface Item {
  readonly cores: number | null;
  readonly mins: Readonly<Record<string, number>>;
}

/** A task in the bins. */
interface Packed {
  readonly job: number;
  readonly cores: number;
  readonly held: ReadonlyMap<string, number>;
  readonly gpus: readonly number[];
  readonly isWhole: boolean;
  readonly memoryOfEach: number;
}

const totalsOf = (machine: Machine): ReadonlyMap<string, number> =>
  new Map([
    [MEMORY, machine.memory],
    [SCRATCH, machine.scratch],
    [CACHE, machine.cache],
  ]);

/** Plain bin packing: adds up what all packed tasks hold each time. Its only source is docs/policy.md#booked-amounts. */
class Bins {
  readonly packed: Packed[] = [];
  private readonly machine: Machine;
  private readonly setting: BookedAmountsSetting;

  constructor(machine: Machine, setting: BookedAmountsSetting) {
    this.machine = machine;
    this.setting = setting;
  }

  /** Packs one task if it fits, and returns it. */
  pack(job: number, { cores: wanted, mins }: Item): Packed | null {
    const cores = wanted ?? CORES;
    if (this.packed.reduce((sum, task) => sum + task.cores, 0) + cores > CORES) return null;
    const held = new Map<string, number>();
    for (const [name, total] of totalsOf(this.machine)) {
      if (!this.setting.names.includes(name)) continue;
      const amount = mins[name] ?? this.share(total, cores);
      const used = this.packed.reduce((sum, task) => sum + (task.held.get(name) ?? 0), 0);
      if (amount === 0) continue;
      if (Math.round((used + amount) * 1000) > Math.round(total * 1000)) return null;
      held.set(name, amount);
    }
    const onGpus = this.gpusOf(mins, cores);
    if (onGpus === null) return null;
    const task = { job, cores, held, ...onGpus };
    this.packed.push(task);
    return task;
  }

  private share(total: number, cores: number): number {
    return this.setting.byDefault === 'none' ? 0 : Math.floor((Math.floor(total) * cores) / CORES);
  }

  private gpusOf(
    mins: Item['mins'],
    cores: number,
  ): Pick<Packed, 'gpus' | 'isWhole' | 'memoryOfEach'> | null {
    const { gpus: count, gpuMemory: each } = this.machine;
    const { names } = this.setting;
    const none = { gpus: [], isWhole: false, memoryOfEach: 0 };
    const whole = names.includes(GPU) ? (mins[GPU] ?? this.share(count, cores)) : 0;
    if (whole > 0) {
      const free = this.indices().filter((gpu) => this.packed.every((task) => !task.gpus.includes(gpu)));
      const memoryOfEach = names.includes(GPU_MEMORY) ? (mins[GPU_MEMORY] ?? 0) : 0;
      return free.length < whole ? null : { gpus: free.slice(0, whole), isWhole: true, memoryOfEach };
    }
    if (!names.includes(GPU_MEMORY) || count === 0) return none;
    const share = this.share(each * count, cores);
    const memoryOfEach = mins[GPU_MEMORY] ?? Math.min(share, each);
    if (memoryOfEach === 0) return none;
    const needed =
      mins[GPU_MEMORY] === undefined ? Math.max(1, Math.floor(share / each)) : Math.max(1, mins[GPU] ?? 1);
    const free = this.indices().filter((gpu) => {
      const users = this.packed.filter((task) => task.gpus.includes(gpu));
      const used = users.reduce((sum, task) => sum + task.memoryOfEach, 0);
      return users.every((task) => !task.isWhole) && used + memoryOfEach <= each;
    });
    return free.length < needed ? null : { gpus: free.slice(0, needed), isWhole: false, memoryOfEach };
  }

  private indices(): number[] {
    return Array.from({ length: this.machine.gpus }, (_unused, gpu) => gpu);
  }
}

const textOf = (job: number, gpus: readonly number[], held: ReadonlyMap<string, number>): string =>
  `${job} on [${gpus.join()}] with ${[...held]
    .filter(([, amount]) => amount > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name} ${Math.round(amount * 1000)}`)
    .join()}`;

function packedText({ job, gpus, held, isWhole, memoryOfEach }: Packed): string {
  const all = new Map(held);
  if (isWhole) all.set(GPU, gpus.length);
  all.set(GPU_MEMORY, memoryOfEach * gpus.length);
  return textOf(job, gpus, all);
}

const holdingText = (job: number, { amounts = {}, gpus = [] }: Holding): string =>
  textOf(job, gpus, new Map(Object.entries(amounts)));

const amount = (of: readonly number[]): fc.Arbitrary<number | undefined> =>
  fc.option(fc.constantFrom(...of), { nil: undefined });

const item = fc
  .record({
    cores: fc.constantFrom(null, 1, 1, 2, 3, 5, 8),
    [MEMORY]: amount([0, 1, 700, 4000, 9000]),
    [SCRATCH]: amount([1, 3]),
    [CACHE]: amount([0.1, 0.2, 0.29, 1.5]),
    [GPU]: amount([1, 1, 2]),
    [GPU_MEMORY]: amount([100, 600, 1000]),
  })
  .map(({ cores, ...mins }): Item => {
    const named = Object.entries(mins).filter((entry): entry is [string, number] => entry[1] !== undefined);
    return { cores, mins: Object.fromEntries(named) };
  });

const machine = fc.record({
  memory: fc.constantFrom(9000, 16_001),
  scratch: fc.constantFrom(3, 10),
  cache: fc.constantFrom(1.5, 2.3),
  gpus: fc.constantFrom(2, 3, 4),
  gpuMemory: fc.constantFrom(1000, 1500),
});

const setting = fc.record({
  names: fc.subarray([MEMORY, SCRATCH, CACHE, GPU, GPU_MEMORY], { minLength: 1 }),
  byDefault: fc.constantFrom('none' as const, 'core_share' as const),
  version: fc.constant(1),
});

/** The index with one worker, and jobs of one task each in order of their numbers. */
class Farm {
  readonly pools = new FarmPools(farmId('f1'), new LocalTallies());
  readonly index = new ReadyIndex(this.pools, new WorkerKinds());
  readonly worker;
  readonly amounts;
  readonly booked;

  constructor(of: Machine, booked: BookedAmountsSetting) {
    this.pools.counted();
    this.worker = workerOffer({
      id: workerId('w1'),
      cpuCount: CORES,
      memoryMib: of.memory,
      hardware: {
        gpuCount: of.gpus,
        gpuMemoryMib: of.gpuMemory,
        gpuModels: [],
        scratchMib: of.scratch * 1024,
        osVersion: '',
      },
      customAmounts: { [CACHE]: of.cache },
    });
    this.amounts = new WorkerAmounts(this.worker);
    this.booked = new BookedAmounts(booked);
  }

  offer(job: number, { cores, mins }: Item, tasks: number): void {
    const amounts: AmountRequirement[] = Object.entries(mins).map(([name, min]) => ({ name, min }));
    const ready = new ReadyTasks();
    ready.add({ start: 0, count: tasks }, 0);
    this.index.offer(
      {
        jobId: jobId(String(job)),
        stepOrder: 0,
        priority: 50,
        jobCreatedAt: job,
        queueId: queueId('q1'),
        requirements: requirements({ cores, amounts }),
        live: 0,
        lastReadyAt: 0,
      },
      ready,
      new Map(),
    );
  }

  take(freeCores: number): { readonly job: number; readonly cores: number; readonly holding: Holding }[] {
    const bounds = { tasks: 128, steps: 100 };
    const ledger = { farm: this.booked, worker: this.amounts };
    return this.index
      .take(this.worker, null, freeCores, bounds, null, ledger)
      .flatMap(({ jobId: job, cores, holdings = [] }) =>
        holdings.map((holding) => ({ job: Number(job), cores, holding })),
      );
  }
}

test('first fit over several amounts packs as plain bins do, while tasks come and end', (t) => {
  const step = fc.tuple(item, fc.integer({ min: 1, max: 4 }));
  fc.assert(
    fc.property(
      machine,
      setting,
      fc.array(fc.array(step, { minLength: 1, maxLength: JOBS, size: 'max' }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.infiniteStream(fc.nat(3)),
      (bins, booked, rounds, ends) => {
        const farm = new Farm(bins, booked);
        const plain = new Bins(bins, booked);
        const running: { job: number; cores: number; holding: Holding }[] = [];
        const waiting: { job: number; item: Item }[] = [];
        let job = 0;
        for (const steps of rounds) {
          for (const [of, tasks] of steps) {
            farm.offer(job, of, tasks);
            for (let task = 0; task < tasks; task++) waiting.push({ job, item: of });
            job++;
          }
          const free = CORES - running.reduce((sum, { cores }) => sum + cores, 0);
          const taken = farm.take(free);
          const found = taken.map(({ job: of, holding }) => holdingText(of, holding));
          const wanted: string[] = [];
          for (const each of [...waiting]) {
            const task = plain.pack(each.job, each.item);
            if (task === null) continue;
            waiting.splice(waiting.indexOf(each), 1);
            wanted.push(packedText(task));
          }
          if (found.join('; ') !== wanted.join('; '))
            throw new Error(`took ${found.join('; ')}, bins take ${wanted.join('; ')}`);
          running.push(...taken);
          for (let at = running.length - 1; at >= 0; at--) {
            const { value: draw } = ends.next();
            const ended = running[at];
            if (draw === 0 || ended === undefined) continue;
            farm.amounts.remove(ended.holding);
            running.splice(at, 1);
            plain.packed.splice(at, 1);
          }
        }
        for (const { holding } of running) farm.amounts.remove(holding);
        if (farm.amounts.names().length > 0) throw new Error('amounts stay booked after the last task');
      },
    ),
    { numRuns: 1500 },
  );
  t.end();
});

test('equal workers have the same key whatever the order of their tasks', (t) => {
  const offer = workerOffer({ memoryMib: 1000 });
  const one = { amounts: { [MEMORY]: 100.1, [CACHE]: 0.2 } };
  const other = { amounts: { [CACHE]: 0.1, [MEMORY]: 200 } };
  const forwards = new WorkerAmounts(offer, [one, other]);
  const backwards = new WorkerAmounts(offer, [other, one]);
  t.equal(forwards.key, backwards.key);
  t.equal(forwards.committed(MEMORY), 300.1);
  t.equal(forwards.committed(CACHE), 0.3, 'sums are exact');
  forwards.remove(one);
  t.not(forwards.key, backwards.key);
  t.end();
});
