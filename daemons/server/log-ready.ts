import type { ServerConfig } from '../../src/core/config/server-config.ts';
import type { Logger } from '../process/logging.ts';

/** Prints the URL of a service that is ready, and warns if it is reachable without authentication. */
export function logReady(config: ServerConfig, port: number, logger: Logger): void {
  process.stdout.write(`callsheet: serving http://${hostForUrl(config.http.addr.host)}:${port}\n`);
  warnIfOpen(config, logger);
}

const ANY_HOST = new Set(['0.0.0.0', '::']);

const hostForUrl = (host: string): string => {
  if (ANY_HOST.has(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');

/**
 * docs/dependency-hazards.md#d15-open-to-browsers-without-authentication: without authentication, every client that
 * reaches the port may run commands on the farm.
 */
function warnIfOpen({ http }: ServerConfig, logger: Logger): void {
  const { host } = http.addr;
  if (!isLoopback(host))
    logger.warn(
      { host },
      'there is no authentication: every client that reaches this address may run commands on the workers',
    );
  const profiles = http.pprofAddr?.host ?? host;
  if (http.enablePprof && !isLoopback(profiles))
    logger.warn(
      { host: profiles },
      'every client that reaches this address can take profiles of the service; set http.pprof_addr to an address of the loopback',
    );
}
