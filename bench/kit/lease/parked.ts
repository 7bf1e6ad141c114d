import { childOf, usageOf } from '../process-usage.ts';
import { makeFarm, startBenchService } from '../service.ts';
import { startSwarm } from '../swarm/swarm.ts';

/** Cost of workers with a parked request. */
export interface ParkedFigures {
  readonly workers: number;
  readonly seconds: number;
  readonly service_percent_of_core: number;
  readonly bus_percent_of_core: number;
  readonly client_percent_of_core: number;
  readonly service_resident_mib: number;
  readonly bus_resident_mib: number;
}

/** Time after which registrations, and their garbage, no longer matter. */
const WARM_UP_MS = 5_000;

/**
 * Parks `workers` on a service without work. A request is held for 30 s and then repeated, so a period of that length
 * has one request of each worker.
 */
export async function measureParked(workers: number, seconds: number): Promise<ParkedFigures> {
  const service = await startBenchService();
  try {
    await makeFarm(service.url);
    const busPid = childOf(service.pid, 'nats-server');
    const swarm = await startSwarm(service.busPort, workers, 1);
    const cpu = { begin: [0, 0], end: [0, 0] };
    const seen = await swarm.measure(
      { kind: 'parked' },
      { warmUpMs: WARM_UP_MS, measureMs: seconds * 1000 },
      (at) => {
        cpu[at] = [usageOf(service.pid).cpuSeconds, usageOf(busPid).cpuSeconds];
      },
    );
    await swarm.stop();
    const percent = (used: number): number => Math.round((1000 * used) / seen.seconds) / 10;
    return {
      workers,
      seconds: Math.round(seen.seconds),
      service_percent_of_core: percent((cpu.end[0] ?? 0) - (cpu.begin[0] ?? 0)),
      bus_percent_of_core: percent((cpu.end[1] ?? 0) - (cpu.begin[1] ?? 0)),
      client_percent_of_core: percent(seen.cpuSeconds),
      service_resident_mib: Math.round(usageOf(service.pid).residentMib),
      bus_resident_mib: Math.round(usageOf(busPid).residentMib),
    };
  } finally {
    await service.stop();
  }
}
