import { childOf, usageOf } from '../process-usage.ts';
import { call, type BenchService } from '../service.ts';
import type { Load } from '../swarm/swarm-protocol.ts';
import type { LoadTimes, WorkerSwarm } from '../swarm/swarm.ts';
import { submitJobs, type Farm } from './lease-work.ts';
import type { Measured } from './measured-load.ts';

/** A service with the workers that lease from it. */
export interface LoadedService {
  readonly service: Pick<BenchService, 'url' | 'pid'>;
  /** Processes of its bus; if absent, the one that the service has started. */
  readonly busPids?: readonly number[];
  /** Further processes whose time is measured, by name. */
  readonly others?: Readonly<Record<string, number>>;
  readonly farm: Farm;
  readonly swarm: WorkerSwarm;
}

/** Jobs that are submitted. */
export interface JobShape {
  readonly tasks: number;
  readonly signatures: number;
}

/** Tasks that must exist for a measurement, as a multiple of those that the previous one used. */
const SPARE = 2;

/** Measures loads on one service, and keeps it supplied with tasks. */
export class LoadRunner {
  private readonly parts: LoadedService;
  private readonly shape: JobShape;
  private readonly busPids: readonly number[];
  private readonly jobIds: string[] = [];
  private cycles = 0;
  /** Minimum number of ready tasks. */
  private ready = 0;
  private isLaidOut = false;

  constructor(parts: LoadedService, shape: JobShape) {
    this.parts = parts;
    this.shape = shape;
    this.busPids = parts.busPids ?? [childOf(parts.service.pid, 'nats-server')];
  }

  /** Number of tasks that existed before. */
  found(tasks: number): void {
    this.ready += tasks;
    this.isLaidOut = true;
  }

  async measure(load: Load, times: LoadTimes): Promise<Measured> {
    let before = this.usage();
    let after = before;
    const seen = await this.parts.swarm.measure(load, times, (at) => {
      if (at === 'begin') before = this.usage();
      else after = this.usage();
    });
    this.cycles += seen.cycles;
    const taken = (seen.leases / seen.seconds) * (times.warmUpMs / 1000 + seen.seconds);
    this.ready -= taken;
    return {
      seen,
      cpuSeconds: {
        service: after.service - before.service,
        bus: after.bus - before.bus,
        bench: after.bench - before.bench,
        others: Object.fromEntries(
          Object.entries(after.others).map(([name, seconds]) => [name, seconds - (before.others[name] ?? 0)]),
        ),
      },
    };
  }

  /** Processor time until now, in seconds. */
  private usage(): Measured['cpuSeconds'] {
    const own = process.cpuUsage();
    const { service, others = {} } = this.parts;
    return {
      service: usageOf(service.pid).cpuSeconds,
      bus: this.busPids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0),
      bench: (own.user + own.system) / 1e6,
      others: Object.fromEntries(
        Object.entries(others).map(([name, pid]) => [name, usageOf(pid).cpuSeconds]),
      ),
    };
  }

  /** Submits enough jobs that a measurement at this rate does not run out of tasks. */
  async stock(perSecond: number, { warmUpMs, measureMs }: LoadTimes): Promise<void> {
    const needed = (SPARE * perSecond * (warmUpMs + measureMs)) / 1000;
    const jobs = Math.ceil((needed - this.ready) / this.shape.tasks);
    if (jobs > 0) await this.submit(jobs);
  }

  /** Submits n jobs. */
  async submit(jobs: number): Promise<void> {
    const { tasks, signatures } = this.shape;
    this.jobIds.push(...(await submitJobs(this.parts.service, this.parts.farm, jobs, tasks, signatures)));
    this.ready += jobs * tasks;
  }

  /**
   * Checks that the workers and the service count the same ended tasks. Only for submitted jobs, because their ids are
   * known.
   */
  async checkCycles(): Promise<void> {
    if (this.isLaidOut) return;
    let succeeded = 0;
    for (const id of this.jobIds) {
      const job = await call<{ task_counts: { succeeded: number } }>(
        `${this.parts.service.url}/api/v1/jobs/${id}`,
      );
      succeeded += job.task_counts.succeeded;
      if (succeeded >= this.cycles) return;
    }
    throw new Error(`the swarm counted ${this.cycles} cycles, the service ${succeeded}`);
  }
}
