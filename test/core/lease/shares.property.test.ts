import fc from 'fast-check';
import { test } from 'tap';
import { LocalTallies } from '../../../src/adapters/memory/local-tallies.ts';
import { farmId, jobId, queueId, type JobId, type QueueId } from '../../../src/core/ids.ts';
import { compareCandidates } from '../../../src/core/lease/candidate-order.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { ReadyIndex } from '../../../src/core/lease/ready-index.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';
import { Shares, type StoredUsage } from '../../../src/core/lease/shares.ts';
import { WorkerKinds } from '../../../src/core/lease/worker-kinds.ts';
import {
  SHARERS_OF,
  type QueuePolicySetting,
  type SharedBy,
} from '../../../src/core/records/queue-policy.ts';
import { requirements, workerOffer } from '../../kit/lease-parts.ts';

/** Compares the leases of shared farms with a plain list of jobs, whose usage is summed up from the log of all events. */

const QUEUES = ['day', 'night'].map((id) => queueId(id));
const OWNERS = ['ana', 'tomas', ''];
const PROJECTS = ['film', 'spot'];
const JOBS = Array.from({ length: 7 }, (_, at) => jobId(`job${at}`));
const SIGNATURES = [requirements({ cores: 1 }), requirements({ cores: 2 }), requirements({ cores: null })];
const WORKER = workerOffer({ cpuCount: 4 });
const START = Date.UTC(2026, 0, 1, 12, 0, 13);
const MINUTE = 60_000;
/** Usages that differ by less than this share may be served in either order. */
const TOLERANCE = 1e-6;

interface PlainJob {
  readonly jobId: JobId;
  readonly owner: string;
  readonly project: string;
  readonly queueId: QueueId;
  readonly priority: number;
  readonly cores: number | null;
  ready: number;
  live: number;
  /** Average run time of its tasks in milliseconds; null for none. */
  meanMs: number | null;
}

interface UseChange {
  readonly job: JobId;
  readonly cores: number;
  readonly at: number;
}

const nameOf = (job: PlainJob, sharedBy: SharedBy): string =>
  ({ job: job.jobId, owner: job.owner, project: job.project, queue: job.queueId })[sharedBy];

/** The plain oracle. */
class PlainFarm {
  readonly jobs = new Map<JobId, PlainJob>();
  readonly log: UseChange[] = [];
  /** Since when usage counts, by the policy. */
  since = START;
  /** Number of the half-life in which sharers were last forgotten. */
  halves = 0;

  coresOf(name: string, { sharedBy }: QueuePolicySetting): number {
    let cores = 0;
    for (const change of this.log) {
      const job = this.jobs.get(change.job);
      if (job !== undefined && nameOf(job, sharedBy) === name) cores += change.cores;
    }
    return cores;
  }

  /** Usage by weight of a sharer at its last count, without the decay since then that all share. */
  usageOf(name: string, setting: QueuePolicySetting, now: number): number {
    const halfLife = setting.halfLifeSeconds * 1000;
    const own = this.log.filter(({ job }) => {
      const known = this.jobs.get(job);
      return known !== undefined && nameOf(known, setting.sharedBy) === name;
    });
    const cores = own.reduce((sum, change) => sum + change.cores, 0);
    const counted = Math.max(...own.map(({ at }) => Math.max(at, this.since)), 0);
    const minute = Math.floor(now / MINUTE) * MINUTE;
    const until = cores > 0 ? Math.max(counted, minute) : counted;
    let usage = 0;
    for (const { cores: change, at } of own) {
      // A change adds its cores from then on: the integral of the decayed core seconds until `until`.
      const halves = (until - Math.max(at, this.since)) / halfLife;
      usage += (change * (halfLife / 1000) * (1 - 2 ** -halves)) / Math.LN2;
    }
    const weights = setting.kind === 'balanced' ? [] : setting.weights;
    const weight = weights.find((each) => each.name === name)?.weight ?? 1;
    return ((usage + this.aheadOf(name, setting)) / weight) * 2 ** ((until - now) / halfLife);
  }

  /** Core seconds that count in advance for the cores in use: a minute, or the average of brief tasks. */
  private aheadOf(name: string, { sharedBy }: QueuePolicySetting): number {
    let seconds = 0;
    for (const { job, cores } of this.log) {
      const known = this.jobs.get(job);
      if (known === undefined || nameOf(known, sharedBy) !== name) continue;
      const { meanMs } = known;
      seconds += cores * (meanMs === null || meanMs >= 1000 ? 60 : Math.max(1, meanMs) / 1000);
    }
    return seconds;
  }

  /** Forgets sharers that had used less than a core second when the last half-life began. */
  forget(setting: QueuePolicySetting, now: number): void {
    const halfLife = setting.halfLifeSeconds * 1000;
    const halves = Math.floor(now / halfLife);
    if (halves === this.halves) return;
    this.halves = halves;
    for (const name of new Set([...this.jobs.values()].map((job) => nameOf(job, setting.sharedBy)))) {
      const weight = setting.weights.find((each) => each.name === name)?.weight ?? 1;
      const usage =
        this.usageOf(name, setting, halves * halfLife) * (setting.kind === 'balanced' ? 1 : weight);
      if (this.coresOf(name, setting) > 0 || usage >= 1) continue;
      const kept = this.log.filter(({ job }) => {
        const known = this.jobs.get(job);
        return known === undefined || nameOf(known, setting.sharedBy) !== name;
      });
      this.log.splice(0, this.log.length, ...kept);
    }
  }

  /** Returns the jobs that may come next on a worker with these free cores. */
  next(free: number, setting: QueuePolicySetting, now: number): readonly PlainJob[] {
    const fitting = [...this.jobs.values()].filter((job) => job.ready > 0 && (job.cores ?? 4) <= free);
    const levels = new Map(
      fitting.map((job) => [job, this.usageOf(nameOf(job, setting.sharedBy), setting, now)]),
    );
    const top = setting.priorityFirst ? Math.max(...fitting.map(({ priority }) => priority)) : null;
    const coresOf = (job: PlainJob): number =>
      setting.kind === 'balanced' ? this.coresOf(nameOf(job, setting.sharedBy), setting) : 0;
    const ofTop = fitting.filter(({ priority }) => top === null || priority === top);
    const fewest = Math.min(...ofTop.map(coresOf));
    const atTop = ofTop.filter((job) => coresOf(job) === fewest);
    const bounds = new Map(atTop.map((job) => [job, boundsOf(levels.get(job) ?? 0, setting, now)]));
    const least = Math.min(...[...bounds.values()].map(({ high }) => high));
    const lowest = atTop.filter((job) => (bounds.get(job)?.low ?? 0) <= least);
    lowest.sort((a, b) => compareCandidates(candidateOf(a), candidateOf(b)));
    // The order of candidates decides only between usages that are equal without rounding.
    const isExact = lowest.every((job) => bounds.get(job)?.low === bounds.get(job)?.high);
    return isExact ? lowest.slice(0, 1) : lowest;
  }
}

/** Returns the bounds of what is compared: turns of one core second as of the begin of the half-life under `weighted`. */
function boundsOf(level: number, { kind, halfLifeSeconds }: QueuePolicySetting, now: number) {
  const [low, high] = [level * (1 - TOLERANCE), level * (1 + TOLERANCE) + (level === 0 ? 0 : TOLERANCE)];
  if (kind === 'balanced') return { low, high };
  const halves = now / (halfLifeSeconds * 1000);
  const unit = 2 ** (Math.floor(halves) - halves);
  return { low: Math.floor(low / unit), high: Math.floor(high / unit) };
}

const candidateOf = ({ priority, jobId: id }: PlainJob) => ({
  priority,
  jobCreatedAt: JOBS.indexOf(id),
  jobId: id,
  stepOrder: 0,
});

/** The index of a farm, as the lease actor uses it. */
class SharedFarm {
  readonly index: ReadyIndex;

  constructor() {
    const pools = new FarmPools(farmId('f1'), new LocalTallies());
    pools.counted();
    this.index = new ReadyIndex(pools, new WorkerKinds());
  }

  offer(job: PlainJob): void {
    const ready = new ReadyTasks();
    if (job.ready > 0) ready.add({ start: 0, count: job.ready }, 0);
    const { owner, project, meanMs } = job;
    const demand = { queueId: job.queueId, requirements: requirementsOf(job) };
    const times = { lastReadyAt: 0 };
    this.index.offer(
      { ...candidateOf(job), ...demand, ...times, owner, project, meanMs, live: job.live },
      ready,
      new Map(),
    );
  }

  take(free: number): JobId | null {
    const [taken] = this.index.take(WORKER, null, free, { tasks: 1, steps: 1 });
    return taken?.jobId ?? null;
  }
}

const requirementsOf = ({ cores }: PlainJob) => SIGNATURES[cores === null ? 2 : cores - 1] ?? requirements();

type Move =
  | { readonly do: 'offer'; readonly job: JobId; readonly ready: number; readonly priority: number }
  | { readonly do: 'take'; readonly free: number }
  | { readonly do: 'end'; readonly job: JobId }
  | { readonly do: 'pace'; readonly job: JobId; readonly meanMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'policy'; readonly setting: Omit<QueuePolicySetting, 'version'> };

const setting: fc.Arbitrary<Omit<QueuePolicySetting, 'version'>> = fc
  .constantFrom('balanced' as const, 'weighted' as const)
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      sharedBy: fc.constantFrom(...SHARERS_OF[kind]),
      weights: fc.constantFrom(
        [],
        [
          { name: 'ana', weight: 3 },
          { name: 'day', weight: 0.5 },
        ],
      ),
      halfLifeSeconds: fc.constantFrom(60, 90, 3600, 86_400),
      priorityFirst: fc.boolean(),
    }),
  );

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('offer' as const),
      job: fc.constantFrom(...JOBS),
      ready: fc.integer({ min: 0, max: 5 }),
      priority: fc.constantFrom(50, 50, 50, 80),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('take' as const), free: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), job: fc.constantFrom(...JOBS) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pace' as const),
      job: fc.constantFrom(...JOBS),
      meanMs: fc.constantFrom(0, 40, 400, 999, 1000, 50_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 90_000 }),
        fc.integer({ min: 1, max: 5_000_000 }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('policy' as const), setting }) },
);

/** Moves with a clock that is set back now and then. */
const moveWithClock: fc.Arbitrary<Move> = fc.oneof(
  { weight: 9, arbitrary: move },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.integer({ min: -90_000, max: -1 }), fc.integer({ min: -5_000_000, max: -1 })),
    }),
  },
);

/** A farm with its oracle, its clock and its stored usage. */
class Trial {
  readonly real = new SharedFarm();
  readonly plain = new PlainFarm();
  readonly stored = new Map<string, StoredUsage>();
  setting: QueuePolicySetting;
  private now = START;

  constructor(first: Omit<QueuePolicySetting, 'version'>) {
    this.setting = { ...first, version: 1 };
    this.start();
  }

  /** Applies a move. Returns what is wrong, or null. */
  apply(each: Move): string | null {
    this.real.index.shares?.advance(this.now);
    this.plain.forget(this.setting, this.now);
    const wrong = this.move(each);
    this.save();
    return wrong;
  }

  /** Returns a farm that is loaded from what is stored. */
  cold(): SharedFarm {
    const farm = new SharedFarm();
    const shares = new Shares(this.setting, [...this.stored.values()].reverse());
    farm.index.shareBy(shares);
    for (const [job, cores] of [...this.coresByJob()].reverse()) shares.count(job, 0, cores);
    for (const job of [...this.plain.jobs.values()].reverse()) farm.offer(job);
    shares.start(this.now);
    return farm;
  }

  private move(each: Move): string | null {
    const { real, plain } = this;
    switch (each.do) {
      case 'offer': {
        const at = JOBS.indexOf(each.job);
        const known = plain.jobs.get(each.job);
        const job: PlainJob = {
          jobId: each.job,
          owner: OWNERS[at % 3] ?? '',
          project: PROJECTS[at % 2] ?? '',
          queueId: QUEUES[at % 2] ?? queueId('day'),
          cores: [1, 2, null, 1, 2][at % 5] ?? null,
          priority: each.priority,
          ready: each.ready,
          live: known?.live ?? 0,
          meanMs: known?.meanMs ?? null,
        };
        plain.jobs.set(each.job, job);
        real.offer(job);
        return null;
      }
      case 'take': {
        const expected = plain.next(each.free, this.setting, this.now);
        const found = real.take(each.free);
        const job = found === null ? undefined : plain.jobs.get(found);
        if (job === undefined) return expected.length === 0 ? null : `took none of ${namesOf(expected)}`;
        job.ready--;
        job.live++;
        plain.log.push({ job: job.jobId, cores: job.cores ?? 4, at: this.now });
        return expected.includes(job) ? null : `took ${job.jobId}, not ${namesOf(expected)}`;
      }
      case 'end': {
        const job = plain.jobs.get(each.job);
        if (job === undefined || job.live === 0) return null;
        job.live--;
        real.index.settle(job.jobId, 0);
        real.index.shares?.count(job.jobId, 0, -(job.cores ?? 4));
        plain.log.push({ job: job.jobId, cores: -(job.cores ?? 4), at: this.now });
        return null;
      }
      case 'pace': {
        const job = plain.jobs.get(each.job);
        if (job === undefined) return null;
        job.meanMs = each.meanMs;
        real.index.settle(job.jobId, 0, 0, [], each.meanMs);
        return null;
      }
      case 'wait':
        this.now += each.ms;
        return null;
      case 'policy':
        this.setting = { ...each.setting, version: this.setting.version + 1 };
        this.start();
        return null;
    }
  }

  private start(): void {
    this.stored.clear();
    const shares = new Shares(this.setting);
    this.plain.since = this.now;
    this.plain.halves = Math.floor(this.now / (this.setting.halfLifeSeconds * 1000));
    // Usage before the policy does not count: only the cores that are in use.
    const inUse = this.coresByJob();
    this.plain.log.length = 0;
    for (const [job, cores] of inUse) this.plain.log.push({ job, cores, at: this.now });
    this.real.index.shareBy(shares);
    for (const [job, cores] of inUse) shares.count(job, 0, cores);
    shares.start(this.now);
    this.save();
  }

  private coresByJob(): Map<JobId, number> {
    const cores = new Map<JobId, number>();
    for (const { job, cores: change } of this.plain.log) cores.set(job, (cores.get(job) ?? 0) + change);
    return new Map([...cores].filter(([, count]) => count > 0));
  }

  private save(): void {
    const { changed = [], forgotten = [] } = this.real.index.shares?.takeUnsaved() ?? {};
    for (const name of forgotten) this.stored.delete(name);
    for (const usage of changed) this.stored.set(usage.name, usage);
  }
}

/** Returns what decides between sharers, by name. */
const levelsOf = ({ index }: SharedFarm): ReadonlyMap<string, number> =>
  new Map((index.shares?.all() ?? []).map(({ name, level }) => [name, level]));

const namesOf = (jobs: readonly PlainJob[]): string => jobs.map(({ jobId: id }) => id).join(' or ');

test('shared farms take the task that a plain list of jobs and events selects', (t) => {
  fc.assert(
    fc.property(setting, fc.array(move, { minLength: 1, maxLength: 80, size: 'max' }), (first, moves) => {
      const trial = new Trial(first);
      for (const [at, each] of moves.entries()) {
        const wrong = trial.apply(each);
        if (wrong !== null) throw new Error(`move ${at}: ${wrong}`);
      }
    }),
    { numRuns: 1000 },
  );
  t.end();
});

test('a farm that is loaded from the store decides like the one that has run, also if the clock was set back', (t) => {
  fc.assert(
    fc.property(
      setting,
      fc.array(moveWithClock, { minLength: 20, maxLength: 80, size: 'max' }),
      (first, moves) => {
        const trial = new Trial(first);
        for (const each of moves) trial.apply(each);
        trial.apply({ do: 'wait', ms: 0 });
        const cold = trial.cold();
        const levels = levelsOf(cold);
        for (const [name, level] of levelsOf(trial.real)) {
          if (level !== (levels.get(name) ?? -Infinity))
            throw new Error(`${name} has level ${level}, loaded ${levels.get(name) ?? 'none'}`);
        }
        for (let free = 0; free < 12; free++) {
          const warm = trial.real.take(1 + (free % 4));
          const again = cold.take(1 + (free % 4));
          if (warm !== again) throw new Error(`take ${free}: ${warm ?? 'none'}, loaded ${again ?? 'none'}`);
        }
      },
    ),
    { numRuns: 1000 },
  );
  t.end();
});
