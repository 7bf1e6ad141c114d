import { join } from 'node:path';
import { layOutManyJobs } from '../many-jobs.ts';
import { childOf, usageOf } from '../process-usage.ts';
import { median } from '../results.ts';
import { benchDirectory, call, makeFarm, startBenchService, type BenchService } from '../service.ts';
import type { Latencies } from '../swarm/samples.ts';
import type { Load, SwarmFigures } from '../swarm/swarm-protocol.ts';
import { startSwarm, type LoadTimes, type WorkerSwarm } from '../swarm/swarm.ts';
import { measureDisk, type DiskCeiling } from './disk-ceiling.ts';
import { requestSeed } from '../connect-line.ts';
import { startEchoResponder, type EchoResponder } from './echo-responder.ts';
import { submitJobs, type Farm } from './lease-work.ts';
import type { LeaseCase } from './case-parameters.ts';

export interface LeaseTimes extends LoadTimes {
  readonly repetitions: number;
}

/** Microseconds of processor time per lease; per task for an offered load or a batch. */
export interface CpuMicroseconds {
  readonly service: number;
  readonly bus: number;
  readonly client: number;
}

export interface EchoFigures {
  readonly per_second: number;
  readonly request_bytes: number;
  readonly reply_bytes: number;
  readonly latency_ms: Latencies;
  /** Per request. The responder runs in the process of the bench. */
  readonly cpu_us: { readonly bus: number; readonly client: number; readonly responder: number };
}

export interface LeaseFigures extends Omit<LeaseCase, 'offered' | 'disk'> {
  /** The ceiling of the bus: request and reply have the mean sizes of those of a lease. */
  readonly echo: EchoFigures;
  /** The same with 200 bytes each way. */
  readonly echo_200: EchoFigures;
  readonly disk: DiskCeiling | null;
  readonly leases_per_second: number;
  /** Values of the repetitions, ascending. */
  readonly leases_per_second_runs: readonly number[];
  readonly cycles_per_second: number;
  /** Lease requests answered with tasks. */
  readonly replies_per_second: number;
  /** Counts requests: a batch is one. */
  readonly leases_to_echo: number;
  readonly leases_to_echo_200: number;
  readonly cycles_to_disk: number | null;
  readonly latency_ms: Latencies;
  readonly cpu_us: CpuMicroseconds;
  readonly service_resident_mib: number;
  readonly empty_replies: number;
  readonly unconfirmed: number;
  readonly offered: OfferedFigures | null;
}

export interface OfferedFigures {
  readonly per_second: number;
  readonly reached_per_second: number;
  /** Measured from the time at which the request was due. */
  readonly latency_ms: Latencies;
  readonly cpu_us: CpuMicroseconds;
}

const SMALL_BYTES = 200;
const SMALL_TIMES: LoadTimes = { warmUpMs: 300, measureMs: 1_000 };
/** Warm-up: a service compiles its hot code first. */
const FIRST_MS = 3_000;
/** Tasks per second and core that must exist before the rate is known. */
const FIRST_PER_SECOND = 10_000;
/** Warm-up of echoes, which are steady sooner than leases. */
const ECHO_SHARE = 0.5;
/** From this number on, jobs are written to the store in advance: submitting them would take longer than measuring. */
const LAID_OUT_JOBS = 1_000;
/** Tasks that must exist for a measurement, as a multiple of those that the previous one used. */
const SPARE = 2;

/** Measures one case on its own service. The repetitions of echo and leases take turns. */
export async function measureCase(of: LeaseCase, times: LeaseTimes): Promise<LeaseFigures> {
  const disk = of.disk ? await measureDisk(of, times) : null;
  const laidOut = of.jobs >= LAID_OUT_JOBS ? await layOut(of) : null;
  const service = await startBenchService([], laidOut?.directory);
  try {
    const farm = laidOut === null ? await makeFarm(service.url) : await farmOf(service, laidOut.farmId);
    const seed = await requestSeed(service.dataDirectory);
    const echo = await startEchoResponder(service.busPort, seed);
    const swarm = await startSwarm(service.busPort, of.workers, of.cores, { echoSeed: seed });
    const bench = new CaseBench(of, times, { service, farm, echo, swarm });
    if (laidOut === null) await bench.submit(of.jobs);
    else bench.found(of.jobs * of.tasks);
    const figures = await bench.run(disk);
    await swarm.stop();
    echo.stop();
    return figures;
  } finally {
    await service.stop();
  }
}

/** Returns a store with the jobs of the case, made without a service. */
async function layOut({ jobs, tasks, signatures }: LeaseCase): Promise<{
  readonly directory: string;
  readonly farmId: string;
}> {
  const directory = await benchDirectory();
  const size = { jobs, tasksEach: tasks, signatures, doneEach: 0 };
  const { farmId } = await layOutManyJobs(join(directory, 'state'), size);
  return { directory, farmId };
}

/** Returns the farm with one of its queues. */
async function farmOf({ url }: BenchService, farmId: string): Promise<Farm> {
  const { items } = await call<{ readonly items: readonly { readonly id: string }[] }>(
    `${url}/api/v1/queues`,
  );
  const [queue] = items;
  if (queue === undefined) throw new Error('the store has no queue');
  return { farmId, queueId: queue.id };
}

interface Parts {
  readonly service: BenchService;
  readonly farm: Farm;
  readonly echo: EchoResponder;
  readonly swarm: WorkerSwarm;
}

interface Measured {
  readonly seen: SwarmFigures;
  readonly cpuSeconds: { readonly service: number; readonly bus: number; readonly bench: number };
}

class CaseBench {
  private readonly of: LeaseCase;
  private readonly times: LeaseTimes;
  private readonly parts: Parts;
  private readonly busPid: number;
  private readonly jobIds: string[] = [];
  private cycles = 0;
  /** Minimum number of ready tasks. */
  private ready = 0;
  private isLaidOut = false;

  constructor(of: LeaseCase, times: LeaseTimes, parts: Parts) {
    this.of = of;
    this.times = times;
    this.parts = parts;
    this.busPid = childOf(parts.service.pid, 'nats-server');
  }

  async run(disk: DiskCeiling | null): Promise<LeaseFigures> {
    const { of, times } = this;
    const leases: Load = { kind: 'closed', reports: of.reports };
    await this.stock(FIRST_PER_SECOND * of.cores);
    const first = await this.measure(leases, { warmUpMs: FIRST_MS / 2, measureMs: FIRST_MS / 2 });
    const sizes = { request: first.seen.requestBytes, reply: first.seen.replyBytes };
    const echoTimes = { warmUpMs: times.warmUpMs / 2, measureMs: times.measureMs * ECHO_SHARE };
    const small: Measured[] = [];
    const same: Measured[] = [];
    const leased: Measured[] = [];
    let perSecond = first.seen.leases / first.seen.seconds;
    for (let repetition = 0; repetition < times.repetitions; repetition++) {
      small.push(await this.echo(SMALL_BYTES, SMALL_BYTES, SMALL_TIMES));
      same.push(await this.echo(sizes.request, sizes.reply, echoTimes));
      await this.stock(perSecond);
      const measured = await this.measure(leases, times);
      perSecond = measured.seen.leases / measured.seen.seconds;
      leased.push(measured);
    }
    let offered: OfferedFigures | null = null;
    if (of.offered !== null) {
      const runs: Measured[] = [];
      for (let repetition = 0; repetition < times.repetitions; repetition++) {
        await this.stock(of.offered * of.cores);
        runs.push(await this.measure({ kind: 'offered', perSecond: of.offered, reports: of.reports }, times));
      }
      offered = offeredFigures(of.offered, runs);
    }
    await this.checkCycles();
    return this.figures({ disk, small, same, leased, offered, sizes });
  }

  /** Number of tasks that existed before. */
  found(tasks: number): void {
    this.ready += tasks;
    this.isLaidOut = true;
  }

  private async echo(requestBytes: number, replyBytes: number, times: LoadTimes): Promise<Measured> {
    this.parts.echo.answerWith(replyBytes);
    return this.measure({ kind: 'echo', bytes: requestBytes }, times);
  }

  private async measure(load: Load, times: LoadTimes): Promise<Measured> {
    const before = { service: 0, bus: 0, bench: 0 };
    const after = { service: 0, bus: 0, bench: 0 };
    const seen = await this.parts.swarm.measure(load, times, (at) => {
      const noted = at === 'begin' ? before : after;
      noted.service = usageOf(this.parts.service.pid).cpuSeconds;
      noted.bus = usageOf(this.busPid).cpuSeconds;
      const own = process.cpuUsage();
      noted.bench = (own.user + own.system) / 1e6;
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
      },
    };
  }

  /** Submits enough jobs that a measurement at this rate does not run out of tasks. */
  private async stock(perSecond: number): Promise<void> {
    const { warmUpMs, measureMs } = this.times;
    const needed = (SPARE * perSecond * (warmUpMs + measureMs)) / 1000;
    const jobs = Math.ceil((needed - this.ready) / this.of.tasks);
    if (jobs > 0) await this.submit(jobs);
  }

  /** Submits n jobs of the case. */
  async submit(jobs: number): Promise<void> {
    const { tasks, signatures } = this.of;
    this.jobIds.push(...(await submitJobs(this.parts.service, this.parts.farm, jobs, tasks, signatures)));
    this.ready += jobs * tasks;
  }

  /**
   * Checks that the workers and the service count the same ended tasks. Only for submitted jobs, because their ids are
   * known.
   */
  private async checkCycles(): Promise<void> {
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

  private figures(measured: {
    readonly disk: DiskCeiling | null;
    readonly small: readonly Measured[];
    readonly same: readonly Measured[];
    readonly leased: readonly Measured[];
    readonly offered: OfferedFigures | null;
    readonly sizes: { readonly request: number; readonly reply: number };
  }): LeaseFigures {
    const { disk, small, same, leased, offered, sizes } = measured;
    const { workers, cores, tasks, jobs, signatures, reports } = this.of;
    const echo = echoFigures(same, sizes.request, sizes.reply);
    const echo200 = echoFigures(small, SMALL_BYTES, SMALL_BYTES);
    const leasesPerSecond = rate(leased, ({ leases }) => leases);
    const repliesPerSecond = rate(leased, ({ replies }) => replies);
    const cyclesPerSecond = rate(leased, ({ cycles }) => cycles);
    return {
      workers,
      cores,
      tasks,
      jobs,
      signatures,
      reports,
      echo,
      echo_200: echo200,
      disk,
      leases_per_second: leasesPerSecond,
      leases_per_second_runs: leased
        .map(({ seen }) => Math.round(seen.leases / seen.seconds))
        .sort((a, b) => a - b),
      cycles_per_second: cyclesPerSecond,
      replies_per_second: repliesPerSecond,
      leases_to_echo: round(repliesPerSecond / echo.per_second),
      leases_to_echo_200: round(repliesPerSecond / echo200.per_second),
      cycles_to_disk: disk === null ? null : round(cyclesPerSecond / disk.cycles_per_second),
      latency_ms: latencies(leased),
      cpu_us: cpuOf(leased),
      service_resident_mib: Math.round(usageOf(this.parts.service.pid).residentMib),
      empty_replies: leased.reduce((sum, { seen }) => sum + seen.emptyReplies, 0),
      unconfirmed: leased.reduce((sum, { seen }) => sum + seen.unconfirmed, 0),
      offered,
    };
  }
}

function echoFigures(runs: readonly Measured[], requestBytes: number, replyBytes: number): EchoFigures {
  return {
    per_second: rate(runs, ({ replies }) => replies),
    request_bytes: requestBytes,
    reply_bytes: replyBytes,
    latency_ms: latencies(runs),
    cpu_us: {
      bus: perPiece(
        runs,
        ({ cpuSeconds }) => cpuSeconds.bus,
        ({ replies }) => replies,
      ),
      client: perPiece(
        runs,
        ({ seen }) => seen.cpuSeconds,
        ({ replies }) => replies,
      ),
      responder: perPiece(
        runs,
        ({ cpuSeconds }) => cpuSeconds.bench,
        ({ replies }) => replies,
      ),
    },
  };
}

const offeredFigures = (perSecond: number, runs: readonly Measured[]): OfferedFigures => ({
  per_second: perSecond,
  reached_per_second: rate(runs, ({ replies }) => replies),
  latency_ms: latencies(runs),
  cpu_us: cpuOf(runs),
});

const rate = (runs: readonly Measured[], count: (seen: SwarmFigures) => number): number =>
  Math.round(median(runs.map(({ seen }) => count(seen) / seen.seconds)));

const latencies = (runs: readonly Measured[]): Latencies => ({
  p50: round(median(runs.map(({ seen }) => seen.latencyMs.p50))),
  p99: round(median(runs.map(({ seen }) => seen.latencyMs.p99))),
  p999: round(median(runs.map(({ seen }) => seen.latencyMs.p999))),
});

const cpuOf = (runs: readonly Measured[]): CpuMicroseconds => ({
  service: perPiece(
    runs,
    ({ cpuSeconds }) => cpuSeconds.service,
    ({ leases }) => leases,
  ),
  bus: perPiece(
    runs,
    ({ cpuSeconds }) => cpuSeconds.bus,
    ({ leases }) => leases,
  ),
  client: perPiece(
    runs,
    ({ seen }) => seen.cpuSeconds,
    ({ leases }) => leases,
  ),
});

const perPiece = (
  runs: readonly Measured[],
  seconds: (run: Measured) => number,
  pieces: (seen: SwarmFigures) => number,
): number => round(median(runs.map((run) => (1e6 * seconds(run)) / Math.max(1, pieces(run.seen)))));

const round = (value: number): number => Math.round(value * 1000) / 1000;
