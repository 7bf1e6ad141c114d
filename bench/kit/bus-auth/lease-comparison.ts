import { LoadRunner } from '../lease/load-runner.ts';
import { canSeparateCores, useCores } from '../own-cores.ts';
import { childOf } from '../process-usage.ts';
import {
  cpuOf,
  latencies,
  rate,
  round,
  type CpuMicroseconds,
  type Measured,
} from '../lease/measured-load.ts';
import { median } from '../results.ts';
import { makeFarm, type BenchService } from '../service.ts';
import type { Latencies } from '../swarm/samples.ts';
import type { Load } from '../swarm/swarm-protocol.ts';
import { startSwarm, type LoadTimes, type WorkerSwarm } from '../swarm/swarm.ts';
import { joinTokenFor, MODES, startBusService, type Mode } from './bus-services.ts';

export interface LeaseSide {
  readonly leases_per_second: number;
  /** Values of the repetitions, in their order. */
  readonly runs: readonly number[];
  readonly latency_ms: Latencies;
  readonly cpu_us: CpuMicroseconds;
}

interface Comparison extends Record<Mode, LeaseSide> {
  /** Rate with authentication and TLS by the rate without, of neighbouring repetitions: the median. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  /** Processor time of service and bus for a lease without authentication by that with it. */
  readonly service_and_bus_cpu_ratio: number;
}

export interface LeaseComparison {
  readonly workers: number;
  /** Service, nats-server and workers share all cores. */
  readonly closed: Comparison;
  readonly offered: Comparison & { readonly per_second: number };
  /**
   * Service and nats-server share one core and the workers run on another, as on a farm, where encryption for a worker takes
   * processor time of its own machine. Null: the machine cannot separate them.
   */
  readonly separated: Comparison | null;
  /**
   * Both services, buses and swarms at the same time on all cores: other programs of the machine, and its disk, slow both down in
   * the same moments.
   */
  readonly together: Comparison;
}

export interface ComparisonTimes extends LoadTimes {
  readonly repetitions: number;
}

const SHAPE = { tasks: 100_000, signatures: 1 } as const;
const FIRST: LoadTimes = { warmUpMs: 1_500, measureMs: 1_500 };
const FIRST_PER_SECOND = 20_000;
const SERVICE_CORE = 0;
const WORKERS_CORE = 1;

interface Side {
  readonly service: BenchService;
  readonly swarm: WorkerSwarm;
  readonly runner: LoadRunner;
}

/** Measures both modes with services and swarms that run at the same time, one repetition of each in turn. */
export async function compareLeases(
  workers: number,
  offeredPerSecond: number,
  times: ComparisonTimes,
): Promise<LeaseComparison> {
  const started: { readonly stop: () => Promise<void> }[] = [];
  try {
    const sides: Record<Mode, Side> = {
      open: await startSide('open', workers, started),
      authenticated: await startSide('authenticated', workers, started),
    };
    const closed: Load = { kind: 'closed', reports: 'ride' }; // wording-ok: value of --reports
    const offered: Load = { kind: 'offered', perSecond: offeredPerSecond, reports: 'ride' }; // wording-ok: value of --reports
    for (const mode of MODES) {
      await sides[mode].runner.stock(FIRST_PER_SECOND, FIRST);
      await sides[mode].runner.measure(closed, FIRST);
    }
    const figures = {
      workers,
      closed: await inTurns(sides, closed, FIRST_PER_SECOND, times),
      together: await atTheSameTime(sides, closed, times),
      offered: {
        per_second: offeredPerSecond,
        ...(await inTurns(sides, offered, offeredPerSecond, times)),
      },
      separated: canSeparateCores() ? await separated(sides, closed, times) : null,
    };
    for (const mode of MODES) await sides[mode].runner.checkCycles();
    return figures;
  } finally {
    for (const each of started.reverse()) await each.stop();
  }
}

async function startSide(
  mode: Mode,
  workers: number,
  started: { readonly stop: () => Promise<void> }[],
): Promise<Side> {
  const service = await startBusService(mode);
  started.push(service);
  const farm = await makeFarm(service.url);
  const joinToken = await joinTokenFor(service, mode, workers);
  const swarm = await startSwarm(service.busPort, workers, 1, { joinToken });
  started.push(swarm);
  return { service, swarm, runner: new LoadRunner({ service, farm, swarm }, SHAPE) };
}

/** Measures with one core for each service and its nats-server, and another one for the workers. */
function separated(
  sides: Readonly<Record<Mode, Side>>,
  load: Load,
  times: ComparisonTimes,
): Promise<Comparison> {
  for (const mode of MODES) {
    const { service, swarm } = sides[mode];
    useCores([
      { pid: service.pid, core: SERVICE_CORE },
      { pid: childOf(service.pid, 'nats-server'), core: SERVICE_CORE },
      { pid: swarm.pid, core: WORKERS_CORE },
    ]);
  }
  return inTurns(sides, load, FIRST_PER_SECOND, times);
}

/** The order of the modes changes with each repetition, so that a change of the machine's speed affects both. */
async function inTurns(
  sides: Readonly<Record<Mode, Side>>,
  load: Load,
  firstPerSecond: number,
  times: ComparisonTimes,
): Promise<Comparison> {
  const runs: Record<Mode, Measured[]> = { open: [], authenticated: [] };
  for (let repetition = 0; repetition < times.repetitions; repetition++) {
    for (const mode of repetition % 2 === 0 ? MODES : MODES.toReversed()) {
      const { runner } = sides[mode];
      const last = runs[mode].at(-1)?.seen;
      await runner.stock(last === undefined ? firstPerSecond : last.leases / last.seconds, times);
      runs[mode].push(await runner.measure(load, times));
    }
  }
  return comparisonOf(runs);
}

/** Each repetition measures both modes at once. */
async function atTheSameTime(
  sides: Readonly<Record<Mode, Side>>,
  load: Load,
  times: ComparisonTimes,
): Promise<Comparison> {
  const runs: Record<Mode, Measured[]> = { open: [], authenticated: [] };
  for (let repetition = 0; repetition < times.repetitions; repetition++) {
    for (const mode of MODES) await sides[mode].runner.stock(FIRST_PER_SECOND, times);
    const measured = await Promise.all(MODES.map((mode) => sides[mode].runner.measure(load, times)));
    for (const [nth, mode] of MODES.entries()) {
      const run = measured[nth];
      if (run !== undefined) runs[mode].push(run);
    }
  }
  return comparisonOf(runs);
}

function comparisonOf(runs: Readonly<Record<Mode, readonly Measured[]>>): Comparison {
  const open = sideOf(runs.open);
  const authenticated = sideOf(runs.authenticated);
  const ratios = open.runs.map((perSecond, nth) => round((authenticated.runs[nth] ?? 0) / perSecond));
  const serverCpu = ({ cpu_us }: LeaseSide): number => cpu_us.service + cpu_us.bus;
  return {
    open,
    authenticated,
    ratio: median(ratios),
    ratios,
    service_and_bus_cpu_ratio: round(serverCpu(open) / serverCpu(authenticated)),
  };
}

const sideOf = (runs: readonly Measured[]): LeaseSide => ({
  leases_per_second: rate(runs, ({ leases }) => leases),
  runs: runs.map(({ seen }) => Math.round(seen.leases / seen.seconds)),
  latency_ms: latencies(runs),
  cpu_us: cpuOf(runs),
});
