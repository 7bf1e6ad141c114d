import { join } from 'node:path';
import {
  startManagedServer,
  stopLeftServer,
  type ManagedServerEvent,
} from '../../src/adapters/nats/managed-server.ts';
import { accessOptions } from '../../src/adapters/nats/access.ts';
import { configuredServers, type ServerList } from '../../src/adapters/nats/server-address.ts';
import type { Logger } from '../process/logging.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

/** Access of the service to the bus. */
export interface OpenedBus {
  /** For lease requests, replies, cancels and the presence of the service. */
  readonly requests: ServerList;
  /** For streams. May be the same servers with another access. */
  readonly streams: ServerList;
  /** Whether each worker has a credential of its own, and its subjects end with its id. */
  readonly isScoped: boolean;
}

const openTo = (servers: ServerList): OpenedBus => ({ requests: servers, streams: servers, isScoped: false });

/** Returns the access to the bus: to the servers of `bus.url`, or a `nats-server` that it starts and supervises. */
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
    const servers = configuredServers(config.bus.urls, config.bus.access);
    // A file that is missing now would be reported only as an unreachable bus.
    accessOptions(servers);
    if (await stopLeftServer(folder))
      logger.warn(
        'stopped the nats-server of an earlier start without bus.url: workers must not use it any more',
      );
    return openTo(servers);
  }
  const server = await startManagedServer(
    { folder, listen: config.bus.addr, binaryPath: config.bus.serverPath },
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
  return openTo(server.servers);
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
