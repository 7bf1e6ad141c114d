import { join } from 'node:path';
import { layOutManyJobs } from '../many-jobs.ts';
import { BENCH_AMOUNTS } from '../bench-amounts.ts';
import { usageOf } from '../process-usage.ts';
import { benchDirectory, call, makeFarm, startBenchService, type BenchService } from '../service.ts';
import type { Latencies } from '../swarm/samples.ts';
import type { Load } from '../swarm/swarm-protocol.ts';
import { startSwarm, type LoadTimes } from '../swarm/swarm.ts';
import { measureDisk, type DiskCeiling } from './disk-ceiling.ts';
import { requestSeed } from '../connect-line.ts';
import { startEchoResponder, type EchoResponder } from './echo-responder.ts';
import type { Farm } from './lease-work.ts';
import { PROFILED_THREADS, saveProfile } from './save-profile.ts';
import { LoadRunner, type LoadedService } from './load-runner.ts';
import {
  cpuOf,
  latencies,
  perPiece,
  rate,
  round,
  type CpuMicroseconds,
  type Measured,
} from './measured-load.ts';
import type { LeaseCase } from './case-parameters.ts';

export interface LeaseTimes extends LoadTimes {
  readonly repetitions: number;
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
/**
 * Measures one case on its own service. The repetitions of echo and leases take turns. `profile`: start of the names of
 * files for profiles of the first repetition, which it slows down; null for none.
 */
export async function measureCase(
  of: LeaseCase,
  times: LeaseTimes,
  profile: string | null = null,
): Promise<LeaseFigures> {
  const disk = of.disk ? await measureDisk(of, times) : null;
  const laidOut = of.jobs >= LAID_OUT_JOBS ? await layOut(of) : null;
  const service = await startBenchService(
    profile === null ? [] : ['--http-enable-pprof=true'],
    laidOut?.directory,
  );
  try {
    const farm = laidOut === null ? await makeFarm(service.url) : await farmOf(service, laidOut.farmId);
    await setPolicies(service, farm, of);
    const seed = await requestSeed(service.dataDirectory);
    const echo = await startEchoResponder(service.busPort, seed);
    const swarm = await startSwarm(service.busPort, of.workers, of.cores, { echoSeed: seed });
    const bench = new CaseBench(of, times, { service, farm, echo, swarm, profile });
    if (laidOut === null) await bench.runner.submit(of.jobs);
    else bench.runner.found(of.jobs * of.tasks);
    const figures = await bench.run(disk);
    await swarm.stop();
    echo.stop();
    return figures;
  } finally {
    await service.stop();
  }
}

/** Returns a store with the jobs of the case, made without a service. */
async function layOut({ jobs, tasks, signatures, owners }: LeaseCase): Promise<{
  readonly directory: string;
  readonly farmId: string;
}> {
  const directory = await benchDirectory();
  const size = { jobs, tasksEach: tasks, signatures, doneEach: 0, owners };
  const { farmId } = await layOutManyJobs(join(directory, 'state'), size);
  return { directory, farmId };
}

/** Sets the queue policy and the booked amounts of the farm, unless the case has none. */
async function setPolicies(
  { url }: BenchService,
  { farmId }: Farm,
  { policy, booked }: LeaseCase,
): Promise<void> {
  if (policy === 'fifo' && booked === 0) return;
  const weights = Object.fromEntries([1, 2, 3, 4].map((weight) => [`artist${weight}`, weight]));
  const body = {
    name: 'bench',
    queue_policy: policy,
    shared_by: 'owner',
    ...(policy === 'weighted' && { share_weights: weights }),
    booked_amounts: BENCH_AMOUNTS.slice(0, booked),
    amount_default: 'core_share',
  };
  const headers = { 'content-type': 'application/json' };
  await call(`${url}/api/v1/farms/${farmId}`, { method: 'PUT', headers, body: JSON.stringify(body) });
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

interface Parts extends LoadedService {
  readonly echo: EchoResponder;
  readonly profile: string | null;
}

class CaseBench {
  private readonly of: LeaseCase;
  private readonly times: LeaseTimes;
  private readonly parts: Parts;
  readonly runner: LoadRunner;

  constructor(of: LeaseCase, times: LeaseTimes, parts: Parts) {
    this.of = of;
    this.times = times;
    this.parts = parts;
    this.runner = new LoadRunner(parts, of);
  }

  async run(disk: DiskCeiling | null): Promise<LeaseFigures> {
    const { of, times, runner } = this;
    const leases: Load = { kind: 'closed', reports: of.reports };
    await runner.stock(FIRST_PER_SECOND * of.cores, times);
    const first = await runner.measure(leases, { warmUpMs: FIRST_MS / 2, measureMs: FIRST_MS / 2 });
    const sizes = { request: first.seen.requestBytes, reply: first.seen.replyBytes };
    const echoTimes = { warmUpMs: times.warmUpMs / 2, measureMs: times.measureMs * ECHO_SHARE };
    const small: Measured[] = [];
    const same: Measured[] = [];
    const leased: Measured[] = [];
    let perSecond = first.seen.leases / first.seen.seconds;
    for (let repetition = 0; repetition < times.repetitions; repetition++) {
      small.push(await this.echo(SMALL_BYTES, SMALL_BYTES, SMALL_TIMES));
      same.push(await this.echo(sizes.request, sizes.reply, echoTimes));
      await runner.stock(perSecond, times);
      const profiles = repetition === 0 ? this.takeProfiles() : [];
      const measured = await runner.measure(leases, times);
      await Promise.all(profiles);
      perSecond = measured.seen.leases / measured.seen.seconds;
      leased.push(measured);
    }
    let offered: OfferedFigures | null = null;
    if (of.offered !== null) {
      const runs: Measured[] = [];
      for (let repetition = 0; repetition < times.repetitions; repetition++) {
        await runner.stock(of.offered * of.cores, times);
        runs.push(
          await runner.measure({ kind: 'offered', perSecond: of.offered, reports: of.reports }, times),
        );
      }
      offered = offeredFigures(of.offered, runs);
    }
    await runner.checkCycles();
    return this.figures({ disk, small, same, leased, offered, sizes });
  }

  /** Takes profiles of the threads that a lease passes, after the warm-up. */
  private takeProfiles(): readonly Promise<void>[] {
    const { profile, service } = this.parts;
    if (profile === null) return [];
    return PROFILED_THREADS.map((thread) => saveProfile(service.url, thread, profile, this.times));
  }

  private async echo(requestBytes: number, replyBytes: number, times: LoadTimes): Promise<Measured> {
    this.parts.echo.answerWith(replyBytes);
    return this.runner.measure({ kind: 'echo', bytes: requestBytes }, times);
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
    const { workers, cores, tasks, jobs, signatures, owners, policy, booked, reports } = this.of;
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
      owners,
      policy,
      booked,
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
