import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { childOf, usageOf } from '../process-usage.ts';
import { makeFarm } from '../service.ts';
import { startSwarm } from '../swarm/swarm.ts';
import { joinTokenFor, startBusService, type Mode } from './bus-services.ts';

/** nats-server with many connected workers that send heartbeats and request no work. */
export interface ConnectedFigures {
  readonly workers: number;
  /** Exchange of the join token for a credential of each worker; 0 without authentication. */
  readonly joined_seconds: number;
  /** Connection and registration of all workers. */
  readonly registered_seconds: number;
  readonly bus_mib: {
    readonly without_workers: number;
    readonly connected: number;
    readonly reconnected: number;
  };
  /** Share of a core while the workers only send heartbeats. */
  readonly bus_percent_of_core: number;
  /** The nats-server was killed; times count from then. */
  readonly restart: {
    /** It answers to a connection. */
    readonly answers_ms: number;
    readonly first_worker_ms: number;
    readonly all_workers_ms: number;
    /** Tries of workers to connect that failed. */
    readonly failed_tries: number;
    /** Processor time of the new nats-server, and of the workers, until all were connected. */
    readonly bus_cpu_seconds: number;
    readonly workers_cpu_seconds: number;
  };
}

const POLL_MS = 5;
const BUS = 'nats-server';

/** Measures one mode with a service of its own. `settleSeconds` without changes pass before memory is read. */
export async function measureConnected(
  mode: Mode,
  workers: number,
  settleSeconds: number,
): Promise<ConnectedFigures> {
  const service = await startBusService(mode);
  try {
    await makeFarm(service.url);
    const bus = childOf(service.pid, BUS);
    const alone = usageOf(bus);
    const joinToken = await joinTokenFor(service, mode, workers);
    const swarm = await startSwarm(service.busPort, workers, 1, { joinToken, reconnects: true });
    await delay(settleSeconds * 1000);
    const before = usageOf(bus);
    await delay(settleSeconds * 1000);
    const connected = usageOf(bus);

    const swarmBefore = usageOf(swarm.pid);
    const reconnected = swarm.reconnected();
    const killedAt = Date.now();
    process.kill(bus, 'SIGKILL');
    await untilGreeted(service.busPort);
    const answeredAt = Date.now();
    const { firstAt, allAt, failedTries } = await reconnected;
    const bus2 = childOf(service.pid, BUS);
    const restarted = usageOf(bus2);
    const swarmAfter = usageOf(swarm.pid);
    await delay(2 * settleSeconds * 1000);
    const settled = usageOf(bus2);
    await swarm.stop();
    return {
      workers,
      joined_seconds: seconds(swarm.joinMs / 1000),
      registered_seconds: seconds(swarm.registerMs / 1000),
      bus_mib: {
        without_workers: Math.round(alone.residentMib),
        connected: Math.round(connected.residentMib),
        reconnected: Math.round(settled.residentMib),
      },
      bus_percent_of_core: seconds((100 * (connected.cpuSeconds - before.cpuSeconds)) / settleSeconds),
      restart: {
        answers_ms: answeredAt - killedAt,
        first_worker_ms: firstAt - killedAt,
        all_workers_ms: allAt - killedAt,
        failed_tries: failedTries,
        bus_cpu_seconds: seconds(restarted.cpuSeconds),
        workers_cpu_seconds: seconds(swarmAfter.cpuSeconds - swarmBefore.cpuSeconds),
      },
    };
  } finally {
    await service.stop();
  }
}

/** Resolves when a server on this port sends its greeting. */
async function untilGreeted(port: number): Promise<void> {
  while (!(await isGreeted(port))) await delay(POLL_MS);
}

const isGreeted = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    // A refused connection is the usual answer while the server starts.
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(false));
  });

const seconds = (value: number): number => Math.round(value * 100) / 100;
