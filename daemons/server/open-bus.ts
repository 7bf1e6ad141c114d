import { join } from 'node:path';
import { startManagedServer, type ManagedServerEvent } from '../../src/adapters/nats/managed-server.ts';
import { parseServerList, type ServerList } from '../../src/adapters/nats/server-address.ts';
import type { Logger } from '../process/logging.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

/** Returns the servers of the bus: those of `bus.url`, or a `nats-server` that it starts and supervises. */
export async function openBus({
  config,
  directory,
  logger,
  stopping,
  shutdown,
}: StartContext): Promise<ServerList> {
  if (config.bus.urls.length > 0) {
    const servers = parseServerList(config.bus.urls.join(','));
    if (servers === null) throw new Error(`bus.url: not a NATS server: ${config.bus.urls.join(',')}`);
    return servers;
  }
  const server = await startManagedServer(
    { folder: join(directory, 'bus'), listen: config.bus.addr, binaryPath: config.bus.serverPath },
    (event) => logServer(logger, event),
  );
  shutdown.add('bus', () => server.stop());
  throwIfStopping(stopping);
  return server.servers;
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
