import fc from 'fast-check';
import { test } from 'tap';
import { LocalTallies } from '../../../src/adapters/memory/local-tallies.ts';
import {
  farmId,
  jobId,
  queueId,
  workerId,
  type JobId,
  type QueueId,
  type WorkerId,
} from '../../../src/core/ids.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { ReadyIndex, type LeaseBounds, type TakenTasks } from '../../../src/core/lease/ready-index.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';
import type { TaskRange } from '../../../src/core/lease/task-ranges.ts';
import { WorkerKinds } from '../../../src/core/lease/worker-kinds.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { StepRequirements } from '../../../src/openjd/template/plan.ts';
import { requirements, usagePool, workerOffer } from '../../kit/lease-parts.ts';

const QUEUES = [queueId('q1'), queueId('q2')];
const JOBS = ['a', 'b', 'c'].map(jobId);
const STEPS = [0, 1];
const TASKS = 6;
const POOLS = ['p', 'r'] as const;
const FARM = farmId('f1');
const UNBOUNDED: LeaseBounds = { tasks: Infinity, steps: Infinity };

const WORKERS = [
  workerOffer({ id: workerId('w1'), cpuCount: 4 }),
  workerOffer({ id: workerId('w2'), cpuCount: 8, queueIds: [queueId('q2')] }),
  workerOffer({ id: workerId('w3'), cpuCount: 2, computeLocation: 'North', tags: { gpu: 'yes' } }),
  workerOffer({ id: workerId('w4'), cpuCount: 4, exprMemoryBytes: 999_999 }, 1_000_000),
];

const DEMANDS: readonly StepRequirements[] = [
  requirements({ cores: 1 }),
  requirements({ cores: 2 }),
  requirements({ cores: 3 }),
  requirements({ cores: null }),
  requirements({ cores: 1, pools: ['p'] }),
  requirements({ cores: 1, pools: ['p', 'r'] }),
  requirements({ cores: 1, computeLocation: 'North' }),
  requirements({ cores: 1, attributes: [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] }),
  requirements({ cores: 1, usesExpressions: true }),
];

/** Reports whether a worker meets a demand, for the workers and demands above. */
function meets(worker: WorkerOffer, queue: QueueId, demand: StepRequirements): boolean {
  if (worker.workerId === 'w2' && queue !== 'q2') return false;
  if (worker.workerId === 'w4' && demand.usesExpressions === true) return false;
  const isPlain = demand.computeLocation === '' && demand.attributes.length === 0;
  if (!isPlain) return worker.workerId === 'w3';
  return (demand.cores ?? 0) <= worker.cpuCount;
}

interface NaiveStep {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly priority: number;
  readonly jobCreatedAt: number;
  readonly queueId: QueueId;
  readonly requirements: StepRequirements;
  /** Workers that have failed a task, by task index. */
  readonly ready: Map<number, readonly WorkerId[]>;
  readonly held: Map<number, number>;
  live: number;
  open: boolean;
}

interface NaiveLimit {
  max: number;
  paused: boolean;
}

/** Reference implementation of docs/contract/lease.md on a plain list of all tasks. */
class NaiveIndex {
  steps: NaiveStep[] = [];
  farm: NaiveLimit = { max: 0, paused: false };
  readonly queues = new Map<QueueId, NaiveLimit>(QUEUES.map((id) => [id, { max: 0, paused: false }]));
  /** Slots of the registered pools. */
  readonly pools = new Map<string, number>();
  readonly online = new Set<WorkerOffer>();

  find(job: JobId, order: number): NaiveStep | undefined {
    return this.steps.find((step) => step.jobId === job && step.stepOrder === order);
  }

  /** Number of further tasks of the queue that may run. */
  room(queue: QueueId): number {
    const live = (steps: readonly NaiveStep[]): number => steps.reduce((sum, step) => sum + step.live, 0);
    const limit = this.queues.get(queue) ?? { max: 0, paused: false };
    const inQueue =
      limit.max === 0 ? Infinity : limit.max - live(this.steps.filter((step) => step.queueId === queue));
    const inFarm = this.farm.max === 0 ? Infinity : this.farm.max - live(this.steps);
    return limit.paused ? 0 : Math.min(inQueue, inFarm);
  }

  /** Number of further tasks that may hold a slot of each pool. */
  slots(pools: readonly string[]): number {
    const left = pools.map((pool) => {
      const holders = this.steps.filter((step) => step.requirements.pools.includes(pool));
      return (this.pools.get(pool) ?? 0) - holders.reduce((sum, step) => sum + step.live, 0);
    });
    return Math.min(Infinity, ...left);
  }

  /** Reports whether the worker may take a task that these workers have failed. */
  mayRetry(worker: WorkerOffer, step: NaiveStep, failedOn: readonly WorkerId[]): boolean {
    if (!failedOn.includes(worker.workerId)) return true;
    return ![...this.online].some(
      (other) => !failedOn.includes(other.workerId) && meets(other, step.queueId, step.requirements),
    );
  }

  take(
    worker: WorkerOffer,
    queue: QueueId | null,
    freeCores: number,
    bounds: LeaseBounds,
    only: Where | null,
  ): string[] {
    const candidates = this.steps
      .filter((step) => step.open)
      .flatMap((step) => [...step.ready].map(([index, failedOn]) => ({ step, index, failedOn })))
      .sort(
        (a, b) =>
          b.step.priority - a.step.priority ||
          a.step.jobCreatedAt - b.step.jobCreatedAt ||
          (a.step.jobId < b.step.jobId ? -1 : a.step.jobId > b.step.jobId ? 1 : 0) ||
          a.step.stepOrder - b.step.stepOrder ||
          a.index - b.index,
      );
    const taken: string[] = [];
    const steps = new Set<NaiveStep>();
    let free = freeCores;
    for (const { step, index, failedOn } of candidates) {
      if (taken.length >= bounds.tasks || (!steps.has(step) && steps.size >= bounds.steps)) break;
      if (queue !== null && step.queueId !== queue) continue;
      if (only !== null && (step.jobId !== only.job || step.stepOrder !== only.order)) continue;
      if (!meets(worker, step.queueId, step.requirements)) continue;
      const cost = step.requirements.cores ?? worker.cpuCount;
      if (cost > free || this.room(step.queueId) < 1) continue;
      if (this.slots(step.requirements.pools) < 1 || !this.mayRetry(worker, step, failedOn)) continue;
      free -= cost;
      step.ready.delete(index);
      step.live++;
      steps.add(step);
      taken.push(`${step.jobId}/${step.stepOrder}/${index} for ${cost}`);
    }
    return taken;
  }

  /** Closed steps without live tasks are no longer relevant. */
  sweep(): void {
    this.steps = this.steps.filter((step) => step.open || step.live > 0);
  }
}

const listed = (taken: readonly TakenTasks[]): string[] =>
  taken.flatMap(({ jobId: job, stepOrder, ranges, cores }) =>
    ranges.flatMap(({ start, count }) =>
      Array.from({ length: count }, (_, each) => `${job}/${stepOrder}/${start + each} for ${cores}`),
    ),
  );

const rangesOf = (indices: Iterable<number>): TaskRange[] =>
  [...indices].map((start) => ({ start, count: 1 }));

interface Where {
  readonly job: JobId;
  readonly order: number;
}

type Move =
  | (Where & {
      readonly do: 'offer';
      readonly priority: number;
      readonly createdAt: number;
      readonly queue: QueueId;
      readonly demand: StepRequirements;
      readonly live: number;
      readonly ready: readonly number[];
      readonly held: readonly number[];
    })
  | (Where & { readonly do: 'hold' | 'removeTask'; readonly index: number })
  | (Where & { readonly do: 'addReady'; readonly index: number; readonly failedOn: readonly WorkerId[] })
  | { readonly do: 'limitPool'; readonly pool: string; readonly max: number }
  | { readonly do: 'online'; readonly worker: WorkerOffer; readonly isOnline: boolean }
  | (Where & { readonly do: 'settle' })
  | { readonly do: 'withdrawJob'; readonly job: JobId }
  | { readonly do: 'limitFarm'; readonly max: number }
  | { readonly do: 'limitQueue'; readonly queue: QueueId; readonly max: number; readonly paused: boolean }
  | {
      readonly do: 'take';
      readonly worker: WorkerOffer;
      readonly queue: QueueId | null;
      readonly free: number;
      readonly bounds: LeaseBounds;
      readonly only: Where | null;
    };

const failedOn = fc.subarray(WORKERS.map((worker) => worker.workerId));
const where = { job: fc.constantFrom(...JOBS), order: fc.constantFrom(...STEPS) };
const index = fc.nat(TASKS - 1);
const queue = fc.constantFrom(...QUEUES);

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('offer' as const),
      ...where,
      priority: fc.nat(1),
      createdAt: fc.nat(1),
      queue,
      demand: fc.constantFrom(...DEMANDS),
      live: fc.nat(2),
      ready: fc.uniqueArray(index, { maxLength: TASKS, size: 'max' }),
      held: fc.uniqueArray(index, { maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('hold' as const, 'removeTask' as const),
      ...where,
      index,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('addReady' as const), ...where, index, failedOn }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limitPool' as const),
      pool: fc.constantFrom(...POOLS),
      max: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('online' as const),
      worker: fc.constantFrom(...WORKERS),
      isOnline: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), ...where }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdrawJob' as const), job: where.job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limitFarm' as const), max: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('limitQueue' as const),
      queue,
      max: fc.nat(4),
      paused: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      worker: fc.constantFrom(...WORKERS),
      queue: fc.option(queue),
      free: fc.integer({ min: -1, max: 8 }),
      bounds: fc.record({ tasks: fc.constantFrom(1, 2, 256), steps: fc.constantFrom(1, 2, 256) }),
      only: fc.option(fc.record(where), { freq: 4 }),
    }),
  },
);

/** The index with its tallies. */
class Farm {
  readonly tallies = new LocalTallies();
  readonly pools = new FarmPools(FARM, this.tallies);
  readonly kinds = new WorkerKinds();
  readonly index = new ReadyIndex(this.pools, this.kinds);

  constructor() {
    this.pools.counted();
  }

  /** Released slots become available to all farms: the changes are durable. */
  commit(): void {
    for (const { slot, count } of this.pools.takeReleased()) this.tallies.release(FARM, slot, count);
  }
}

/** Applies the operation to both implementations. Returns the difference, or null. */
const liveOn = (live: number): WorkerId[] => Array.from({ length: live }, () => workerId('w1'));

function differs({ index: real, pools, kinds }: Farm, naive: NaiveIndex, each: Move): string | null {
  switch (each.do) {
    case 'offer': {
      const held = each.held.filter((heldIndex) => !each.ready.includes(heldIndex));
      const step = {
        jobId: each.job,
        stepOrder: each.order,
        priority: each.priority,
        jobCreatedAt: each.createdAt,
        queueId: each.queue,
        requirements: each.demand,
      };
      real.offer(
        { ...step, live: each.live, liveOn: liveOn(each.live), lastReadyAt: 0 },
        readyTasks(rangesOf(each.ready)),
        new Map(held.map((heldIndex) => [heldIndex, { until: 7, avoided: [] }])),
      );
      naive.steps = naive.steps.filter((other) => other !== naive.find(each.job, each.order));
      naive.steps.push({
        ...step,
        ready: new Map(each.ready.map((readyIndex) => [readyIndex, []])),
        held: new Map(held.map((heldIndex) => [heldIndex, 7])),
        live: each.live,
        open: true,
      });
      return null;
    }
    case 'addReady': {
      const step = naive.find(each.job, each.order);
      // A task becomes ready once.
      if (step?.ready.has(each.index) === true) return null;
      const signature = real.addReady(each.job, each.order, rangesOf([each.index]), 0, each.failedOn);
      if (step?.open !== true) return signature === null ? null : 'a signature of a step that is not offered';
      step.ready.set(each.index, each.failedOn);
      return signature?.queueId === step.queueId ? null : 'the signature of another step';
    }
    case 'hold': {
      const step = naive.find(each.job, each.order);
      if (step?.open !== true || step.ready.has(each.index)) return null;
      real.hold(each.job, each.order, each.index, { until: 9, avoided: [] });
      step.held.set(each.index, 9);
      return null;
    }
    case 'removeTask': {
      real.removeTask(each.job, each.order, each.index);
      const step = naive.find(each.job, each.order);
      step?.ready.delete(each.index);
      step?.held.delete(each.index);
      return null;
    }
    case 'settle': {
      const step = naive.find(each.job, each.order);
      if (step?.live === 0) return null;
      const before = QUEUES.map((id) => naive.room(id));
      const made = real.settle(each.job, each.order, 1, real.entry(each.job, each.order)?.liveOn.slice(0, 1));
      if (step !== undefined) step.live--;
      const makesRoom = QUEUES.some((id, at) => (before[at] ?? 0) <= 0 && naive.room(id) > 0);
      if (makesRoom && !made) return 'capacity was freed without a notification';
      if (made && before.every((room) => room > 0))
        return 'a notification about capacity that was free before';
      return null;
    }
    case 'withdrawJob':
      real.withdrawJob(each.job);
      for (const step of naive.steps.filter((other) => other.jobId === each.job)) {
        step.open = false;
        step.ready.clear();
        step.held.clear();
      }
      return null;
    case 'limitFarm':
      real.caps.limitFarm(each.max);
      naive.farm.max = each.max;
      return null;
    case 'limitQueue':
      real.caps.limitQueue(each.queue, each.max, each.paused);
      naive.queues.set(each.queue, { max: each.max, paused: each.paused });
      return null;
    case 'limitPool':
      if (each.max === 0) naive.pools.delete(each.pool);
      else naive.pools.set(each.pool, each.max);
      pools.register(
        [...naive.pools].map(([name, max]) => usagePool(name, max, name === 'p' ? 1 : 2)),
        0,
      );
      return null;
    case 'online':
      if (each.isOnline) kinds.set(each.worker);
      else kinds.remove(each.worker.workerId);
      if (each.isOnline) naive.online.add(each.worker);
      else naive.online.delete(each.worker);
      return null;
    case 'take': {
      const { worker, queue: of, free, bounds, only } = each;
      const name = only === null ? null : { jobId: only.job, stepOrder: only.order };
      const found = listed(real.take(worker, of, free, bounds, name)).join(', ');
      const wanted = naive.take(worker, of, free, bounds, only).join(', ');
      return found === wanted ? null : `took [${found}], first fit takes [${wanted}]`;
    }
  }
}

const readyTasks = (ranges: Iterable<TaskRange>): ReadyTasks => {
  const tasks = new ReadyTasks();
  for (const range of ranges) tasks.add(range, 0);
  return tasks;
};

/** Compares all observable state of both. Returns the difference, or null. */
function compare({ index: real, pools, tallies }: Farm, naive: NaiveIndex): string | null {
  naive.sweep();
  for (const job of JOBS) {
    for (const order of STEPS) {
      const entry = real.entry(job, order);
      const step = naive.find(job, order);
      const seen = entry && {
        ready: Array.from({ length: TASKS }, (_, at) => at).filter(
          (at) => entry.ready.countBelow(at + 1) > entry.ready.countBelow(at),
        ),
        held: [...entry.held].map(([at, { until }]) => [at, until]).sort(),
        live: entry.live,
        open: entry.open,
      };
      const wanted = step && {
        ready: [...step.ready.keys()].sort(),
        held: [...step.held].sort(),
        live: step.live,
        open: step.open,
      };
      if (JSON.stringify(seen) !== JSON.stringify(wanted)) {
        return `${job}/${order} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`;
      }
    }
  }
  for (const filter of [null, ...QUEUES]) {
    const live = naive.steps
      .filter((step) => filter === null || step.queueId === filter)
      .reduce((sum, step) => sum + step.live, 0);
    const counted = real.caps.of(filter).live;
    if (counted !== live) return `${counted} live tasks are counted, expected ${live}`;
    const seen = real
      .waitingSignatures()
      .filter((signature) => filter === null || signature.queueId === filter)
      .flatMap((signature) => signature.steps.map((step) => `${step.jobId}/${step.stepOrder}`));
    const wanted = naive.steps
      .filter((step) => step.ready.size > 0 && (filter === null || step.queueId === filter))
      .map((step) => `${step.jobId}/${step.stepOrder}`);
    if (seen.sort().join() !== wanted.sort().join()) return `waiting: ${seen.join()}, not ${wanted.join()}`;
  }
  for (const [at, pool] of POOLS.entries()) {
    const holders = naive.steps.filter((step) => step.requirements.pools.includes(pool));
    const held = holders.reduce((sum, step) => sum + step.live, 0);
    if (pools.liveTasks(pool) !== held) return `${pools.liveTasks(pool)} hold ${pool}, not ${held}`;
    const claimed = naive.pools.has(pool) ? held : 0;
    if (tallies.total(at + 1) !== claimed)
      return `${tallies.total(at + 1)} slots of ${pool} are claimed, expected ${claimed}`;
  }
  return null;
}

test('the index selects the same tasks as first fit over a list of all tasks', (t) => {
  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 60, size: 'max' }), (moves) => {
      const real = new Farm();
      const naive = new NaiveIndex();
      for (const [at, each] of moves.entries()) {
        const different = differs(real, naive, each);
        real.commit();
        const wrong = different ?? compare(real, naive);
        if (wrong !== null) throw new Error(`after move ${at}, ${each.do}: ${wrong}`);
      }
    }),
    { numRuns: 1500 },
  );
  t.end();
});

const step = (job: string, some: Partial<Omit<NaiveStep, 'ready' | 'held' | 'open' | 'jobId'>> = {}) => ({
  jobId: jobId(job),
  stepOrder: 0,
  priority: 50,
  jobCreatedAt: 0,
  queueId: queueId('q1'),
  requirements: requirements(),
  live: 0,
  lastReadyAt: 0,
  ...some,
});

test('one lease packs tasks of several jobs, and skips tasks that do not fit', (t) => {
  const lease = new Farm().index;
  lease.offer(step('low', { priority: 1 }), readyTasks([{ start: 0, count: 9 }]), new Map());
  lease.offer(
    step('high', { priority: 99, requirements: requirements({ cores: 3 }) }),
    readyTasks([{ start: 4, count: 4 }]),
    new Map(),
  );
  lease.offer(
    step('whole', { priority: 50, requirements: requirements({ cores: null }) }),
    readyTasks([{ start: 0, count: 1 }]),
    new Map(),
  );
  t.strictSame(lease.take(workerOffer({ cpuCount: 8 }), null, 8, UNBOUNDED), [
    { jobId: 'high', stepOrder: 0, ranges: [{ start: 4, count: 2 }], count: 2, cores: 3, raises: 0 },
    { jobId: 'low', stepOrder: 0, ranges: [{ start: 0, count: 2 }], count: 2, cores: 1, raises: 0 },
  ]);
  t.strictSame(lease.take(workerOffer({ cpuCount: 8 }), null, 0, UNBOUNDED), [], 'no core is free');
  t.end();
});

test('an undeclared cost is the whole machine: one task, and only on an idle worker', (t) => {
  const lease = new Farm().index;
  lease.offer(
    step('a', { requirements: requirements({ cores: null }) }),
    readyTasks([{ start: 0, count: 3 }]),
    new Map(),
  );
  const worker = workerOffer({ cpuCount: 4 });
  t.strictSame(lease.take(worker, null, 3, UNBOUNDED), [], 'one core is committed');
  t.strictSame(lease.take(worker, null, 4, UNBOUNDED), [
    { jobId: 'a', stepOrder: 0, ranges: [{ start: 0, count: 1 }], count: 1, cores: 4, raises: 0 },
  ]);
  t.end();
});

test('selected tasks that are rejected free their capacity', (t) => {
  const lease = new Farm().index;
  lease.caps.limitFarm(2);
  lease.offer(step('a'), readyTasks([{ start: 0, count: 4 }]), new Map());
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 2, 'the cap of the farm');
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), []);
  lease.settle(jobId('a'), 0, 2);
  t.equal(lease.entry(jobId('a'), 0)?.live, 0);
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 2);
  t.end();
});

test('a cap that is lowered below the live tasks prevents starts until enough of them have settled', (t) => {
  const lease = new Farm().index;
  lease.offer(step('a', { live: 3 }), readyTasks([{ start: 0, count: 4 }]), new Map());
  lease.caps.limitQueue(queueId('q1'), 1, false);
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), []);
  t.equal(lease.settle(jobId('a'), 0), false, '2 of 1');
  t.equal(lease.settle(jobId('a'), 0), false, '1 of 1');
  t.equal(lease.settle(jobId('a'), 0), true, 'none of 1');
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 1);
  t.end();
});

test('room under the cap of the farm is reported even if the queue that freed it is paused', (t) => {
  const lease = new Farm().index;
  lease.caps.limitFarm(1);
  lease.offer(step('a', { live: 1 }), readyTasks([{ start: 0, count: 1 }]), new Map());
  lease.offer(step('b', { queueId: queueId('q2') }), readyTasks([{ start: 0, count: 1 }]), new Map());
  lease.caps.limitQueue(queueId('q1'), 0, true);
  t.equal(lease.settle(jobId('a'), 0), true);
  t.strictSame(listed(lease.take(workerOffer(), null, 8, UNBOUNDED)), ['b/0/0 for 1']);
  t.end();
});

test('a withdrawn job is removed when its live tasks have settled', (t) => {
  const lease = new Farm().index;
  const held = new Map([[3, { until: 5, avoided: [] }]]);
  lease.offer(step('a', { live: 1 }), readyTasks([{ start: 0, count: 1 }]), held);
  lease.withdrawJob(jobId('a'));
  t.equal(lease.entry(jobId('a'), 0)?.live, 1);
  t.equal(lease.addReady(jobId('a'), 0, [{ start: 1, count: 1 }], 0), null);
  t.equal(lease.settle(jobId('a'), 0), false);
  t.equal(lease.entry(jobId('a'), 0), undefined);
  t.equal(lease.settle(jobId('a'), 0), false, 'a settled task of an unknown step changes nothing');
  t.end();
});

test('a task holds a slot of each pool, an unregistered pool has none, and a released slot waits for the commit', (t) => {
  const farm = new Farm();
  const { index: lease, pools } = farm;
  lease.offer(
    step('a', { requirements: requirements({ pools: ['p', 'r'] }) }),
    readyTasks([{ start: 0, count: 4 }]),
    new Map(),
  );
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), [], 'neither pool is registered');
  pools.register([usagePool('p', 3, 1)], 0);
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), [], 'one pool is not registered');
  pools.register([usagePool('P', 3, 1), usagePool('r', 2, 2)], 0);
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 2, 'the smaller pool, in any case');
  t.strictSame(
    [pools.stateOf('p'), pools.stateOf('r')],
    [
      { maxConcurrent: 3, inUse: 2 },
      { maxConcurrent: 2, inUse: 2 },
    ],
  );
  lease.settle(jobId('a'), 0, 1, lease.entry(jobId('a'), 0)?.liveOn.slice(0, 1));
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), [], 'the end of the task is not durable');
  farm.commit();
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 1);
  pools.register([], 0);
  t.equal(farm.tallies.total(1) + farm.tallies.total(2), 0, 'a missing pool has no holders');
  pools.register([usagePool('p', 3, 3)], 0);
  t.equal(farm.tallies.total(3), 2, 'a re-created pool is held by the tasks that name it');
  t.end();
});

test('a task is overtaken when a later task is selected for a worker that it is eligible for but does not fit on', (t) => {
  const { index: lease } = new Farm();
  const overtaken = (): string[] => lease.overtakenSteps().map((entry) => entry.jobId);
  const whole = requirements({ cores: null });
  lease.offer(
    step('whole', { priority: 60, requirements: whole }),
    readyTasks([{ start: 0, count: 2 }]),
    new Map(),
  );
  lease.take(workerOffer(), null, 4, UNBOUNDED);
  t.strictSame(overtaken(), [], 'no other task was taken instead');
  lease.offer(step('high', { priority: 70 }), readyTasks([{ start: 0, count: 1 }]), new Map());
  lease.take(workerOffer(), null, 1, UNBOUNDED);
  t.strictSame(overtaken(), [], 'a task of a higher priority comes first');
  lease.offer(step('low'), readyTasks([{ start: 0, count: 9 }]), new Map());
  lease.take(workerOffer(), null, 1, UNBOUNDED);
  t.strictSame(overtaken(), ['whole']);
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.jobId, 'whole');
  t.strictSame(overtaken(), [], 'it was given a task');
  lease.take(workerOffer(), null, 1, UNBOUNDED);
  lease.withdrawJob(jobId('whole'));
  t.strictSame(overtaken(), [], 'it is no longer waiting');
  t.end();
});

test('a step waits since its oldest ready task', (t) => {
  const { index } = new Farm();
  const job = jobId('a');
  index.offer({ ...step('a'), lastReadyAt: 100 }, readyTasks([]), new Map());
  const since = (): number | undefined => index.entry(job, 0)?.ready.since;
  t.equal(since(), Infinity, 'it has no ready task');
  index.addReady(job, 0, [{ start: 0, count: 1 }], 200);
  t.equal(since(), 200);
  index.addReady(job, 0, [{ start: 1, count: 1 }], 300);
  t.equal(since(), 200);
  t.equal(index.entry(job, 0)?.lastReadyAt, 300);
  index.addReady(job, 0, [{ start: 2, count: 1 }], 150);
  t.equal(since(), 150, 'a task that was ready earlier is reported later');
  for (const index0 of [2, 0]) index.removeTask(job, 0, index0);
  t.equal(since(), 300, 'the older ones are no longer ready');
  t.end();
});

test('the order of signatures and overtaken steps does not depend on the order in which they came', (t) => {
  const kinds = [2, 3, 4, 5, 8].map((cores, at) =>
    step(`j${at}`, {
      priority: 40 + ((at * 7) % 5),
      jobCreatedAt: at,
      requirements: requirements({ cores }),
    }),
  );
  const small = step('small', { priority: 1, requirements: requirements({ cores: 1 }) });
  fc.assert(
    fc.property(
      fc.shuffledSubarray(kinds, { minLength: kinds.length }),
      fc.array(fc.nat(4)),
      (order, again) => {
        const { index } = new Farm();
        const offer = (each: (typeof kinds)[number]): void => {
          index.offer(each, readyTasks([{ start: 0, count: 3 }]), new Map());
        };
        for (const each of order) offer(each);
        index.offer(small, readyTasks([{ start: 0, count: 9 }]), new Map());
        for (const at of again) {
          // Each offer marks as overtaken what was not yet.
          const each = kinds[at];
          if (each !== undefined) offer(each);
          index.take(workerOffer({ cpuCount: 8 }), null, 1, UNBOUNDED);
        }
        index.take(workerOffer({ cpuCount: 8 }), null, 1, UNBOUNDED);
        const waiting = index.waitingSignatures().map(({ steps: [first] }) => first?.jobId);
        t.strictSame(waiting.slice(0, 5), ['j2', 'j4', 'j1', 'j3', 'j0']);
        t.strictSame(
          index.overtakenSteps().map(({ jobId: id }) => id),
          ['j2', 'j4', 'j1', 'j3', 'j0'],
        );
      },
    ),
    { numRuns: 50 },
  );
  t.end();
});

test('an overtaken step that is offered again with another priority has to be overtaken again', (t) => {
  const { index } = new Farm();
  const whole = step('whole', { requirements: requirements({ cores: null }) });
  const overtaken = (): number => index.overtakenSteps().length;
  index.offer(whole, readyTasks([{ start: 0, count: 2 }]), new Map());
  index.offer(step('low', { priority: 1 }), readyTasks([{ start: 0, count: 9 }]), new Map());
  index.take(workerOffer(), null, 1, UNBOUNDED);
  t.equal(overtaken(), 1);
  index.offer(whole, readyTasks([{ start: 0, count: 1 }]), new Map());
  t.equal(overtaken(), 1, 'it is the same candidate');
  index.offer({ ...whole, priority: 40 }, readyTasks([{ start: 0, count: 1 }]), new Map());
  t.equal(overtaken(), 0);
  t.end();
});
