import { BinaryHeap } from '../../src/core/binary-heap.ts';
import { FIFO, type QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import { TestFarm } from '../kit/test-farm.ts';

/** Jobs of one owner in a shared farm. */
export interface Demand {
  readonly owner: string;
  readonly project?: string;
  readonly priority?: number;
  /** Number of jobs, and of tasks of each. */
  readonly jobs: number;
  readonly tasks: number;
  /** Null: a whole machine. */
  readonly cores: number | null;
  readonly seconds: number;
  /** Time of the submission after the start. */
  readonly afterSeconds?: number;
}

export interface SharedHour {
  readonly policy: Partial<Omit<QueuePolicySetting, 'version'>>;
  readonly workers: number;
  readonly coresEach: number;
  readonly seconds: number;
  readonly demands: readonly Demand[];
  /** Kills and restarts the service after each such time. Requests are repeated then, also without a restart. */
  readonly everySeconds?: number;
  readonly restarts?: boolean;
}

/** A task that was assigned. */
export interface AssignedTask {
  readonly owner: string;
  readonly worker: string;
  readonly task: string;
  readonly cores: number;
  readonly atMs: number;
  endMs: number;
}

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

/** Runs the real service over virtual time with workers that run each task for its time. Returns the tasks. */
export function runSharedHour(hour: SharedHour): readonly AssignedTask[] {
  return new SharedFarmRun(hour).run();
}

/** Requests wait until they are served. */
const HOLD_MS = 86_400_000;
const BEAT_EVERY_MS = 10_000;

class SharedFarmRun {
  private readonly hour: SharedHour;
  private readonly farm = new TestFarm({
    unschedulableGraceMs: 0,
    leaseHoldMs: HOLD_MS,
    reservationAfterMs: 0,
  });
  private readonly assigned: AssignedTask[] = [];
  private readonly due = new BinaryHeap<Due>((a, b) =>
    a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs,
  );
  private readonly demandOf = new Map<string, Demand>();
  private readonly workers: readonly string[];
  private nowMs = 0;
  private orders = 0;

  constructor(hour: SharedHour) {
    this.hour = hour;
    this.workers = Array.from({ length: hour.workers }, (_, at) => `w${at + 1}`);
  }

  run(): readonly AssignedTask[] {
    const { farm, hour } = this;
    farm.replaceFarm({ queuePolicy: { ...FIFO, ...hour.policy } });
    for (const worker of this.workers) {
      farm.register(worker, { cpu_count: hour.coresEach });
      farm.beating.add(worker);
    }
    for (const [number, demand] of hour.demands.entries())
      for (let job = 0; job < demand.jobs; job++)
        this.at((demand.afterSeconds ?? 0) * 1000, () =>
          this.submit(demand, `${demand.owner}${number}x${job}`),
        );
    this.at(0, () => this.requestAll());
    const every = hour.everySeconds;
    if (every !== undefined) {
      for (let second = every; second < hour.seconds; second += every)
        this.at(second * 1000, () => {
          if (hour.restarts === true) farm.restart();
          this.requestAll();
        });
    }
    const endMs = hour.seconds * 1000;
    for (let atMs = BEAT_EVERY_MS; atMs < endMs; atMs += BEAT_EVERY_MS) this.at(atMs, () => farm.beatNow());
    for (
      let next = this.due.takeFirst();
      next !== undefined && next.atMs <= endMs;
      next = this.due.takeFirst()
    ) {
      farm.advance(next.atMs - this.nowMs);
      this.nowMs = next.atMs;
      next.act();
      this.start();
    }
    for (const task of this.assigned) task.endMs = Math.min(task.endMs, endMs);
    return this.assigned;
  }

  private at(atMs: number, act: () => void): void {
    this.due.push({ atMs, order: this.orders++, act });
  }

  private submit(demand: Demand, name: string): void {
    this.demandOf.set(name, demand);
    const { owner, project = '', priority = 50, tasks, cores } = demand;
    this.farm.submit(name, [{ name: 's', tasks, needs: { cores } }], { owner, project, priority });
  }

  private requestAll(): void {
    for (const worker of this.workers) {
      this.farm.lease(worker);
      this.start();
    }
  }

  /** Starts the tasks that were leased. A worker that has got some asks again. */
  private start(): void {
    for (;;) {
      const leases = this.farm.takeOutputs().flatMap((text) => {
        const found = /^lease (\w+): (.+)$/.exec(text);
        const [, worker, tasks] = found ?? [];
        return worker === undefined || tasks?.includes('#') !== true
          ? []
          : [{ worker, tasks: tasks.split(', ') }];
      });
      if (leases.length === 0) return;
      for (const { worker, tasks } of leases) {
        for (const task of tasks) this.startTask(worker, task);
        this.farm.lease(worker);
      }
    }
  }

  private startTask(worker: string, attempt: string): void {
    const task = attempt.slice(0, attempt.indexOf('#'));
    const demand = this.demandOf.get(task.slice(0, task.indexOf('/')));
    if (demand === undefined) throw new Error(`${task} has no demand`);
    const endMs = this.nowMs + demand.seconds * 1000;
    const cores = demand.cores ?? this.hour.coresEach;
    this.assigned.push({ owner: demand.owner, worker, task, cores, atMs: this.nowMs, endMs });
    this.farm.report(task, 'running');
    this.at(endMs, () => this.farm.report(task, 'succeeded', { exitCode: 0 }));
  }
}

/** Returns the core seconds of each owner between two times. */
export function coreSeconds(
  tasks: readonly AssignedTask[],
  fromSeconds: number,
  toSeconds: number,
): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  for (const { owner, cores, atMs, endMs } of tasks) {
    const ms = Math.min(endMs, toSeconds * 1000) - Math.max(atMs, fromSeconds * 1000);
    if (ms > 0) used.set(owner, (used.get(owner) ?? 0) + (cores * ms) / 1000);
  }
  return used;
}

/** Jain's index of fairness: 1 if all are equal, 1/n if one has all. */
export function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}
