import { hostname } from 'node:os';
import { announceService, type Announcement } from '../../src/adapters/discovery/announce.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import { busReach } from '../../src/core/discovery/bus-address.ts';
import type { Logger } from '../process/logging.ts';

/** Announces the address of the bus by mDNS. Returns null if nothing is announced. */
export function announceBus(config: ServerConfig, logger: Logger): Announcement | null {
  if (config.discovery === null) return null;
  const reach = busReach(config.bus.urls, config.bus.addr);
  if ('refusal' in reach) {
    logger.warn(`the service is not announced: ${reach.refusal}`);
    return null;
  }
  const { urls, port, isLocal } = reach;
  const { name, interfaces } = config.discovery;
  if (isLocal) {
    logger.warn(
      { bus: (urls ?? []).join(',') },
      'the bus listens on the loopback only: workers on other machines do not find the service; set bus.addr',
    );
  }
  logger.info({ name, port, bus: urls?.join(',') ?? 'any address of this host' }, 'the service is announced');
  return announceService({
    name,
    hostName: hostname(),
    port,
    urls,
    interfaces,
    complain: (text, reason) => logger.warn({ reason }, text),
  });
}
