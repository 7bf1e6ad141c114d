import { LoadRunner, type JobShape } from '../lease/load-runner.ts';
import { cpuOf, latencies, perPiece, rate, round, type Measured } from '../lease/measured-load.ts';
import type { Farm } from '../lease/lease-work.ts';
import type { BenchService } from '../service.ts';
import type { Latencies } from '../swarm/samples.ts';
import type { Load } from '../swarm/swarm-protocol.ts';
import { startSwarm, type LoadTimes, type WorkerSwarm } from '../swarm/swarm.ts';

/** A service, or the owner of a cluster, with its processes. */
export interface Compared {
  readonly service: Pick<BenchService, 'url' | 'pid'>;
  readonly farm: Farm;
  readonly busPorts: readonly number[];
  readonly busPids: readonly number[];
  /** Processes of the followers, by name. */
  readonly followers: Readonly<Record<string, number>>;
}

/** Figures of one of the two under a load. */
export interface SideFigures {
  readonly leases_per_second: number;
  readonly latency_ms: Latencies;
  /** Microseconds of processor time per lease; all servers of the bus together. */
  readonly cpu_us: {
    readonly service: number;
    readonly bus: number;
    readonly client: number;
    readonly followers: Readonly<Record<string, number>>;
  };
}

/** The two under the same load, in turns. */
export interface ComparedFigures {
  readonly workers: number;
  /** Requests per second; null if each worker requests again as soon as it has a reply. */
  readonly offered_per_second: number | null;
  readonly single: SideFigures;
  readonly cluster: SideFigures;
  /** Leases per second of the cluster by those of the single node. */
  readonly rate_ratio: number;
  /** Latency of the cluster minus that of the single node. */
  readonly added_ms: { readonly p50: number; readonly p99: number };
  /** Processor time per lease of the owner by that of the single node. */
  readonly owner_cpu_ratio: number;
}

export interface CompareTimes extends LoadTimes {
  readonly repetitions: number;
}

const SHAPE: JobShape = { tasks: 100_000, signatures: 1 };
/** Leases per second until they are known. */
const FIRST_PER_SECOND = 15_000;
/** A service compiles its hot code first. */
const FIRST_TIMES: LoadTimes = { warmUpMs: 1_000, measureMs: 1_500 };

interface Side {
  readonly swarm: WorkerSwarm;
  readonly runner: LoadRunner;
  readonly runs: Measured[];
  perSecond: number;
}

/** Workers on both, whose loads take turns. */
export class LeaseComparison {
  readonly #workers: number;
  readonly #sides: { readonly single: Side; readonly cluster: Side };

  private constructor(workers: number, single: Side, cluster: Side) {
    this.#workers = workers;
    this.#sides = { single, cluster };
  }

  static async start(single: Compared, cluster: Compared, workers: number): Promise<LeaseComparison> {
    return new LeaseComparison(workers, await startSide(single, workers), await startSide(cluster, workers));
  }

  /** Measures the load of `offered` requests per second, or with null as many as possible. */
  async measure(offered: number | null, times: CompareTimes): Promise<ComparedFigures> {
    const { single, cluster } = this.#sides;
    for (const side of [single, cluster]) {
      side.runs.length = 0;
      await run(side, offered, FIRST_TIMES);
    }
    for (let repetition = 0; repetition < times.repetitions; repetition++) {
      single.runs.push(await run(single, offered, times));
      cluster.runs.push(await run(cluster, offered, times));
    }
    const figures = { single: sideFigures(single.runs), cluster: sideFigures(cluster.runs) };
    const added = (at: 'p50' | 'p99'): number =>
      round(figures.cluster.latency_ms[at] - figures.single.latency_ms[at]);
    return {
      workers: this.#workers,
      offered_per_second: offered,
      ...figures,
      rate_ratio: round(figures.cluster.leases_per_second / figures.single.leases_per_second),
      added_ms: { p50: added('p50'), p99: added('p99') },
      owner_cpu_ratio: round(figures.cluster.cpu_us.service / figures.single.cpu_us.service),
    };
  }

  /** Runs the load on the cluster alone. */
  async loadCluster(offered: number | null, times: LoadTimes): Promise<Measured> {
    return run(this.#sides.cluster, offered, times);
  }

  async stop(): Promise<void> {
    await this.#sides.single.swarm.stop();
    await this.#sides.cluster.swarm.stop();
  }
}

/** Number of swarms. The workers of an earlier one may still be online, and hold their names. */
let swarms = 0;

async function startSide(of: Compared, workers: number): Promise<Side> {
  const { service, farm, busPids, busPorts, followers } = of;
  swarms++;
  const swarm = await startSwarm(busPorts, workers, 1, { namePrefix: `swarm-${swarms}-of-${workers}` });
  const runner = new LoadRunner({ service, farm, swarm, busPids, others: followers }, SHAPE);
  return { swarm, runner, runs: [], perSecond: FIRST_PER_SECOND };
}

async function run(side: Side, offered: number | null, times: LoadTimes): Promise<Measured> {
  const load: Load =
    offered === null
      ? { kind: 'closed', reports: 'ride' } // wording-ok: value of --reports
      : { kind: 'offered', perSecond: offered, reports: 'ride' }; // wording-ok: value of --reports
  await side.runner.stock(Math.max(side.perSecond, offered ?? 0), times);
  const measured = await side.runner.measure(load, times);
  side.perSecond = measured.seen.leases / measured.seen.seconds;
  return measured;
}

function sideFigures(runs: readonly Measured[]): SideFigures {
  const names = Object.keys(runs[0]?.cpuSeconds.others ?? {});
  return {
    leases_per_second: rate(runs, ({ leases }) => leases),
    latency_ms: latencies(runs),
    cpu_us: {
      ...cpuOf(runs),
      followers: Object.fromEntries(
        names.map((name) => [
          name,
          perPiece(
            runs,
            ({ cpuSeconds }) => cpuSeconds.others[name] ?? 0,
            ({ leases }) => leases,
          ),
        ]),
      ),
    },
  };
}
