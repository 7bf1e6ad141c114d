import { join } from 'node:path';
import {
  startManagedServer,
  type ManagedServer,
  type ManagedServerEvent,
} from '../../src/adapters/nats/managed-server.ts';
import { parseServerList } from '../../src/adapters/nats/server-address.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import type { Logger } from '../process/logging.ts';

/** The bus: a server of our own, or the one that the configuration names. */
export async function openBus(
  config: ServerConfig,
  directory: string,
  logger: Logger,
): Promise<Pick<ManagedServer, 'servers' | 'stop'>> {
  if (config.bus.urls.length > 0) {
    const servers = parseServerList(config.bus.urls.join(','));
    if (servers === null) throw new Error(`bus.url: not a NATS server: ${config.bus.urls.join(',')}`);
    return { servers, stop: () => Promise.resolve() };
  }
  return startManagedServer(
    { folder: join(directory, 'bus'), listen: config.bus.addr, binaryPath: config.bus.serverPath },
    (event) => logServer(logger, event),
  );
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
