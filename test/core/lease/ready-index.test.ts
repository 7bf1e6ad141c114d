import fc from 'fast-check';
import { test } from 'tap';
import { jobId, queueId, workerId, type JobId, type QueueId } from '../../../src/core/ids.ts';
import { ReadyIndex, type LeaseBounds, type TakenTasks } from '../../../src/core/lease/ready-index.ts';
import type { TaskRange } from '../../../src/core/lease/task-ranges.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { StepRequirements } from '../../../src/core/openjd/plan.ts';
import { requirements, workerOffer } from '../../kit/lease-parts.ts';

const QUEUES = [queueId('q1'), queueId('q2')];
const JOBS = ['a', 'b', 'c'].map(jobId);
const STEPS = [0, 1];
const TASKS = 6;
const UNBOUNDED: LeaseBounds = { tasks: Infinity, steps: Infinity };

const WORKERS = [
  workerOffer({ id: workerId('w1'), cpuCount: 4 }),
  workerOffer({ id: workerId('w2'), cpuCount: 8, queueIds: [queueId('q2')] }),
  workerOffer({ id: workerId('w3'), cpuCount: 2, computeLocation: 'North', tags: { gpu: 'yes' } }),
];

const DEMANDS: readonly StepRequirements[] = [
  requirements({ cores: 1 }),
  requirements({ cores: 2 }),
  requirements({ cores: 3 }),
  requirements({ cores: null }),
  requirements({ cores: 1, computeLocation: 'North' }),
  requirements({ cores: 1, attributes: [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] }),
];

/** Whether the worker meets the demand, said for the three workers and six demands above. */
function meets(worker: WorkerOffer, queue: QueueId, demand: StepRequirements): boolean {
  if (worker.workerId === 'w2' && queue !== 'q2') return false;
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
  readonly ready: Set<number>;
  readonly held: Map<number, number>;
  live: number;
  open: boolean;
}

interface NaiveLimit {
  max: number;
  paused: boolean;
}

/** interface.md, "Lease (assignment) algorithm", word by word over a plain list of all tasks. */
class NaiveIndex {
  steps: NaiveStep[] = [];
  farm: NaiveLimit = { max: 0, paused: false };
  readonly queues = new Map<QueueId, NaiveLimit>(QUEUES.map((id) => [id, { max: 0, paused: false }]));

  find(job: JobId, order: number): NaiveStep | undefined {
    return this.steps.find((step) => step.jobId === job && step.stepOrder === order);
  }

  /** How many tasks of the queue may yet run. */
  room(queue: QueueId): number {
    const live = (steps: readonly NaiveStep[]): number => steps.reduce((sum, step) => sum + step.live, 0);
    const limit = this.queues.get(queue) ?? { max: 0, paused: false };
    const inQueue =
      limit.max === 0 ? Infinity : limit.max - live(this.steps.filter((step) => step.queueId === queue));
    const inFarm = this.farm.max === 0 ? Infinity : this.farm.max - live(this.steps);
    return limit.paused ? 0 : Math.min(inQueue, inFarm);
  }

  take(worker: WorkerOffer, queue: QueueId | null, freeCores: number, bounds: LeaseBounds): string[] {
    const candidates = this.steps
      .filter((step) => step.open)
      .flatMap((step) => [...step.ready].map((index) => ({ step, index })))
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
    for (const { step, index } of candidates) {
      if (taken.length >= bounds.tasks || (!steps.has(step) && steps.size >= bounds.steps)) break;
      if (queue !== null && step.queueId !== queue) continue;
      if (!meets(worker, step.queueId, step.requirements)) continue;
      const cost = step.requirements.cores ?? worker.cpuCount;
      if (cost > free || this.room(step.queueId) < 1) continue;
      free -= cost;
      step.ready.delete(index);
      step.live++;
      steps.add(step);
      taken.push(`${step.jobId}/${step.stepOrder}/${index} for ${cost}`);
    }
    return taken;
  }

  /** Closed steps without live tasks are nobody's business any more. */
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
  | (Where & { readonly do: 'addReady' | 'hold' | 'removeTask'; readonly index: number })
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
    };

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
      ready: fc.uniqueArray(index, { maxLength: TASKS }),
      held: fc.uniqueArray(index, { maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('addReady' as const, 'hold' as const, 'removeTask' as const),
      ...where,
      index,
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
    }),
  },
);

/** Does the move on both; what differs, or null. */
function differs(real: ReadyIndex, naive: NaiveIndex, each: Move): string | null {
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
        { ...step, live: each.live },
        rangesOf(each.ready),
        held.map((heldIndex) => ({ index: heldIndex, until: 7 })),
      );
      naive.steps = naive.steps.filter((other) => other !== naive.find(each.job, each.order));
      naive.steps.push({
        ...step,
        ready: new Set(each.ready),
        held: new Map(held.map((heldIndex) => [heldIndex, 7])),
        live: each.live,
        open: true,
      });
      return null;
    }
    case 'addReady': {
      const step = naive.find(each.job, each.order);
      const signature = real.addReady(each.job, each.order, rangesOf([each.index]));
      if (step?.open !== true)
        return signature === null ? null : 'a signature for a step that is not offered';
      step.ready.add(each.index);
      return signature?.queueId === step.queueId ? null : 'the signature of another step';
    }
    case 'hold': {
      const step = naive.find(each.job, each.order);
      if (step?.open !== true || step.ready.has(each.index)) return null;
      real.hold(each.job, each.order, each.index, 9);
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
      const made = real.settle(each.job, each.order);
      if (step !== undefined) step.live--;
      const makesRoom = QUEUES.some((id, at) => (before[at] ?? 0) <= 0 && naive.room(id) > 0);
      if (makesRoom && !made) return 'room was made, and nobody was told';
      if (made && before.every((room) => room > 0)) return 'room was made where there was room';
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
      real.limitFarm(each.max);
      naive.farm.max = each.max;
      return null;
    case 'limitQueue':
      real.limitQueue(each.queue, each.max, each.paused);
      naive.queues.set(each.queue, { max: each.max, paused: each.paused });
      return null;
    case 'take': {
      const found = listed(real.take(each.worker, each.queue, each.free, each.bounds)).join(', ');
      const wanted = naive.take(each.worker, each.queue, each.free, each.bounds).join(', ');
      return found === wanted ? null : `took [${found}], first fit takes [${wanted}]`;
    }
  }
}

/** Compares all that can be seen of both; what differs, or null. */
function compare(real: ReadyIndex, naive: NaiveIndex): string | null {
  naive.sweep();
  for (const job of JOBS) {
    for (const order of STEPS) {
      const entry = real.entry(job, order);
      const step = naive.find(job, order);
      const seen = entry && {
        ready: [...entry.ready].flatMap(({ start, count }) =>
          Array.from({ length: count }, (_, each) => start + each),
        ),
        held: [...entry.held].sort(),
        live: entry.live,
        open: entry.open,
      };
      const wanted = step && {
        ready: [...step.ready].sort(),
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
    if (real.liveTasks(filter) !== live) return `${real.liveTasks(filter)} are live, not ${live}`;
    const seen = [...real.waitingSignatures(filter)].flatMap((signature) =>
      signature.steps.map((step) => `${step.jobId}/${step.stepOrder}`),
    );
    const wanted = naive.steps
      .filter((step) => step.ready.size > 0 && (filter === null || step.queueId === filter))
      .map((step) => `${step.jobId}/${step.stepOrder}`);
    if (seen.sort().join() !== wanted.sort().join()) return `waiting: ${seen.join()}, not ${wanted.join()}`;
  }
  return null;
}

test('the index against first fit over a list of all tasks', (t) => {
  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 60 }), (moves) => {
      const real = new ReadyIndex();
      const naive = new NaiveIndex();
      for (const [at, each] of moves.entries()) {
        const wrong = differs(real, naive, each) ?? compare(real, naive);
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
  ...some,
});

test('one lease packs tasks of several jobs, and passes over what does not fit', (t) => {
  const lease = new ReadyIndex();
  lease.offer(step('low', { priority: 1 }), [{ start: 0, count: 9 }], []);
  lease.offer(
    step('high', { priority: 99, requirements: requirements({ cores: 3 }) }),
    [{ start: 4, count: 4 }],
    [],
  );
  lease.offer(
    step('whole', { priority: 50, requirements: requirements({ cores: null }) }),
    [{ start: 0, count: 1 }],
    [],
  );
  t.strictSame(lease.take(workerOffer({ cpuCount: 8 }), null, 8, UNBOUNDED), [
    { jobId: 'high', stepOrder: 0, ranges: [{ start: 4, count: 2 }], count: 2, cores: 3 },
    { jobId: 'low', stepOrder: 0, ranges: [{ start: 0, count: 2 }], count: 2, cores: 1 },
  ]);
  t.strictSame(lease.take(workerOffer({ cpuCount: 8 }), null, 0, UNBOUNDED), [], 'no core is free');
  t.end();
});

test('an undeclared cost is the whole machine: one task, and only of an idle worker', (t) => {
  const lease = new ReadyIndex();
  lease.offer(step('a', { requirements: requirements({ cores: null }) }), [{ start: 0, count: 3 }], []);
  const worker = workerOffer({ cpuCount: 4 });
  t.strictSame(lease.take(worker, null, 3, UNBOUNDED), [], 'one core is committed');
  t.strictSame(lease.take(worker, null, 4, UNBOUNDED), [
    { jobId: 'a', stepOrder: 0, ranges: [{ start: 0, count: 1 }], count: 1, cores: 4 },
  ]);
  t.end();
});

test('tasks that were taken and could not be had make room again', (t) => {
  const lease = new ReadyIndex();
  lease.limitFarm(2);
  lease.offer(step('a'), [{ start: 0, count: 4 }], []);
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 2, 'the cap of the farm');
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), []);
  lease.untake(jobId('a'), 0, 2);
  t.equal(lease.entry(jobId('a'), 0)?.live, 0);
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 2);
  t.end();
});

test('a cap that is lowered below what runs lets nothing start until enough has settled', (t) => {
  const lease = new ReadyIndex();
  lease.offer(step('a', { live: 3 }), [{ start: 0, count: 4 }], []);
  lease.limitQueue(queueId('q1'), 1, false);
  t.strictSame(lease.take(workerOffer(), null, 8, UNBOUNDED), []);
  t.equal(lease.settle(jobId('a'), 0), false, '2 of 1');
  t.equal(lease.settle(jobId('a'), 0), false, '1 of 1');
  t.equal(lease.settle(jobId('a'), 0), true, 'none of 1');
  t.equal(lease.take(workerOffer(), null, 8, UNBOUNDED)[0]?.count, 1);
  t.end();
});

test('room under the cap of the farm is told though the queue that made it is paused', (t) => {
  const lease = new ReadyIndex();
  lease.limitFarm(1);
  lease.offer(step('a', { live: 1 }), [{ start: 0, count: 1 }], []);
  lease.offer(step('b', { queueId: queueId('q2') }), [{ start: 0, count: 1 }], []);
  lease.limitQueue(queueId('q1'), 0, true);
  t.equal(lease.settle(jobId('a'), 0), true);
  t.strictSame(listed(lease.take(workerOffer(), null, 8, UNBOUNDED)), ['b/0/0 for 1']);
  t.end();
});

test('of a job that is withdrawn nothing is kept once its live tasks have settled', (t) => {
  const lease = new ReadyIndex();
  lease.offer(step('a', { live: 1 }), [{ start: 0, count: 1 }], [{ index: 3, until: 5 }]);
  lease.withdrawJob(jobId('a'));
  t.equal(lease.entry(jobId('a'), 0)?.live, 1);
  t.equal(lease.addReady(jobId('a'), 0, [{ start: 1, count: 1 }]), null);
  t.equal(lease.settle(jobId('a'), 0), false);
  t.equal(lease.entry(jobId('a'), 0), undefined);
  t.equal(lease.settle(jobId('a'), 0), false, 'and a settled task of an unknown step changes nothing');
  t.end();
});
