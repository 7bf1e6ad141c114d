import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { accessOptions } from '../../../src/adapters/nats/access.ts';
import { managedAccess } from '../../../src/adapters/nats/authority/managed-access.ts';
import { STREAMS } from '../../../src/core/wire/subjects.ts';
import type { RunningService } from '../../kit/daemons.ts';
import { until } from '../../kit/until.ts';

/** State that hostile clients of the bus must not change, and proof that the service has processed their messages. */

interface WorkerState {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpu_count: number;
  readonly tags: Readonly<Record<string, string>>;
}

const CONSUMED = [STREAMS.status, STREAMS.presence, STREAMS.logs] as const;

/** Calls `use` with the access of the service to the streams of its managed bus. */
async function withStreams<T>(
  { folder, busPort }: RunningService,
  isAuthenticated: boolean,
  use: (manager: JetStreamManager) => Promise<T>,
): Promise<T> {
  const { streams } = await managedAccess(
    join(folder, 'data', 'bus'),
    { host: '127.0.0.1', port: busPort },
    isAuthenticated ? { publicUrls: [], certificates: null } : null,
  );
  const nc = await connect({ servers: [...streams.servers], reconnect: false, ...accessOptions(streams) });
  try {
    return await use(await jetstreamManager(nc));
  } finally {
    await nc.close();
  }
}

/** Waits until the service has processed every stored message. */
export const processed = (service: RunningService, isAuthenticated = true): Promise<void> =>
  withStreams(service, isAuthenticated, async (manager) => {
    for (const stream of CONSUMED)
      await until(`${stream.name} is processed`, async () => {
        const consumers = await manager.consumers.list(stream.name).next();
        return (
          consumers.length > 0 && consumers.every((each) => each.num_pending + each.num_ack_pending === 0)
        );
      });
  });

/** Returns the streams with their subjects, and the names of their consumers: everything that their API can change. */
export const streamsOf = (service: RunningService, isAuthenticated = true): Promise<readonly object[]> =>
  withStreams(service, isAuthenticated, async (manager) => {
    const streams = await manager.streams.list().next();
    return Promise.all(
      streams.map(async ({ config, created }) => {
        const consumers = await manager.consumers.list(config.name).next();
        return {
          name: config.name,
          subjects: config.subjects,
          created,
          consumers: consumers.map(({ name }) => name).sort(),
        };
      }),
    );
  });

/** Returns the number of messages in the stream of cancels. */
export const cancelsIn = (service: RunningService, isAuthenticated = true): Promise<number> =>
  withStreams(service, isAuthenticated, async ({ streams }) => {
    const { state } = await streams.info(STREAMS.cancel.name);
    return state.messages;
  });

/** Returns the incarnation in the latest presence message of a worker. */
export const incarnationOf = (
  service: RunningService,
  worker: string,
  isAuthenticated = true,
): Promise<string> =>
  withStreams(service, isAuthenticated, async ({ streams }) => {
    const subject = isAuthenticated ? `worker.heartbeat.${worker}` : 'worker.heartbeat';
    const message = await streams.getMessage(STREAMS.presence.name, { last_by_subj: subject });
    const incarnation = message?.json<Record<string, unknown>>()['incarnation'];
    if (typeof incarnation !== 'string') throw new Error(`worker ${worker} has sent no heartbeat`);
    return incarnation;
  });

export const workersOf = async ({ api }: RunningService): Promise<readonly WorkerState[]> =>
  (await api.must<{ items: WorkerState[] }>('GET', '/api/v1/workers')).items;

/** Waits until a worker is online. */
export const online = (service: RunningService, name: string): Promise<WorkerState> =>
  until(
    `${name} is online`,
    async () =>
      (await workersOf(service)).find((each) => each.name === name && each.status === 'online') ?? null,
  );

/** Returns everything that a hostile worker must not change about a worker, its job of one task and the service. */
export async function stateOf(
  service: RunningService,
  worker: string,
  job: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { api } = service;
  const workers = await workersOf(service);
  const ready = await fetch(`${api.url}/readyz`);
  return {
    workers: workers.map(({ name }) => name).sort(),
    worker: workers
      .filter(({ name }) => name === worker)
      .map(({ id, status, cpu_count: cores, tags }) => ({ id, status, cores, tags })),
    task: (await api.job(job)).task_counts,
    attempts: await api.attempts(`${job}-0-0`),
    log: await api.log(`${job}-0-0`),
    ready: ready.status,
  };
}
