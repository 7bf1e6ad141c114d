import { join } from 'node:path';
import {
  startManagedServer,
  stopLeftServer,
  type ManagedServerEvent,
} from '../../src/adapters/nats/managed-server.ts';
import { accessOptions } from '../../src/adapters/nats/access.ts';
import { configuredServers, type ServerList } from '../../src/adapters/nats/server-address.ts';
import type { BusAuthority } from '../../src/core/ports/bus-authority.ts';
import type { Logger } from '../process/logging.ts';
import { onHangUp } from '../process/stop-signal.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

/** The bus as the parts of the service use it. */
export interface OpenedBus {
  /** Access for requests of workers, and replies to them. */
  readonly requests: ServerList;
  /** Access to the streams. */
  readonly streams: ServerList;
  /** Whether the subjects of workers name the worker. */
  readonly isScoped: boolean;
  /** Null: the service does not issue credentials, because the bus has no authentication or is external. */
  readonly authority: BusAuthority | null;
}

/** Opens the bus: the servers of `bus.url`, or a `nats-server` that it starts and supervises. */
export async function openBus({
  config,
  directory,
  logger,
  stopping,
  shutdown,
  readiness,
}: StartContext): Promise<OpenedBus> {
  const folder = join(directory, 'bus');
  if (config.bus.urls.length > 0) {
    const requests = configuredServers(config.bus.urls, config.bus.access);
    const streams = configuredServers(config.bus.urls, config.bus.streamAccess);
    // A file that is missing now would be reported only as an unreachable bus.
    for (const servers of [requests, streams]) accessOptions(servers);
    if (await stopLeftServer(folder))
      logger.warn(
        'stopped the nats-server of an earlier start without bus.url: workers must not use it any more',
      );
    return { requests, streams, isScoped: config.bus.authentication !== null, authority: null };
  }
  const server = await startManagedServer(
    {
      folder,
      listen: config.bus.addr,
      binaryPath: config.bus.serverPath,
      authentication: config.bus.authentication,
    },
    (event) => logServer(logger, event),
  );
  shutdown.add('bus', async () => {
    // A server of a start that failed is of no use to workers.
    const continues = !config.bus.stopsWithService && (readiness.isReady || server.isAdopted);
    if (!continues) return server.stop();
    logger.info(
      'nats-server continues, so that workers continue their tasks; --stop-bus stops it with the service',
    );
    return server.release();
  });
  throwIfStopping(stopping);
  if (config.bus.authentication !== null) onHangUp(() => server.reload());
  const { requests, streams, authority } = server.access;
  return { requests, streams, isScoped: authority !== null, authority };
}

function logServer(logger: Logger, event: ManagedServerEvent): void {
  const { type, ...facts } = event;
  switch (type) {
    case 'started':
      logger.info(facts, 'nats-server answers');
      return;
    case 'warning':
      logger.warn(facts, 'nats-server');
      return;
    case 'died':
    case 'restarting':
    case 'failed':
      logger.error(facts, `nats-server: ${type}`);
  }
}
