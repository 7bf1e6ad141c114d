import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseListenAddress } from '../nats/server-address.ts';

/** A TCP port at an address. */
export interface BusEndpoint {
  readonly family: 4 | 6;
  readonly address: string;
  readonly port: number;
}

/** Endpoints of some servers. */
export interface FoundEndpoints {
  readonly endpoints: readonly BusEndpoint[];
  readonly ports: readonly number[];
  /** Servers whose names have no address at present. */
  readonly unresolved: readonly string[];
}

const MAPPED = /^::ffff:([0-9.]+)$/i;

/**
 * Returns the endpoint of an address. IPv6 addresses that contain an IPv4 address are that one, as in its packets, and zones
 * are dropped. Null if `host` is a name.
 */
function endpointOf(host: string, port: number): BusEndpoint | null {
  const [address = ''] = host.split('%', 1);
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return { family: 4, address: mapped, port };
  const family = isIP(address);
  return family === 4 || family === 6 ? { family, address, port } : null;
}

/**
 * Looks up the addresses of servers, `host:port` or `[IPv6]:port`, as the client of the bus does.
 *
 * @throws Error if a text is neither.
 */
export async function findEndpoints(servers: readonly string[]): Promise<FoundEndpoints> {
  const found = await Promise.all(servers.map(endpointsOf));
  return {
    endpoints: found.flatMap(({ endpoints }) => endpoints),
    ports: found.map(({ port }) => port),
    unresolved: servers.filter((_server, index) => found[index]?.endpoints.length === 0),
  };
}

async function endpointsOf(
  server: string,
): Promise<{ readonly port: number; readonly endpoints: readonly BusEndpoint[] }> {
  const parsed = parseListenAddress(server);
  if (parsed === null) throw new Error(`not an address of a server of the bus: ${JSON.stringify(server)}`);
  const { host, port } = parsed;
  const known = endpointOf(host, port);
  const endpoints = known === null ? await lookedUp(host, port) : [known];
  return { port, endpoints };
}

async function lookedUp(host: string, port: number): Promise<readonly BusEndpoint[]> {
  // A name without an address is reported as unresolved.
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.flatMap(({ address }) => endpointOf(address, port) ?? []);
}
