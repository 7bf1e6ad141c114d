import type { BusAccess } from '../../core/config/bus-access.ts';
import { isLoopbackHost } from '../../core/discovery/bus-address.ts';

/** Address that a server listens on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const LISTEN = /^(?:\[([0-9A-Fa-f:.%]+)\]|([A-Za-z0-9._-]+)):([0-9]{1,5})$/;
const PORT_MAX = 65_535;

/** Parses `host:port` or `[IPv6]:port`; null if the text is neither. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = LISTEN.exec(text);
  if (match === null) return null;
  const port = Number(match[3]);
  const host = match[1] ?? match[2] ?? '';
  return port >= 1 && port <= PORT_MAX ? { host, port } : null;
}

const ANYWHERE = new Set(['0.0.0.0', '::']);

/** Reports whether a server with this address listens on all addresses of the machine. */
export const isAnyHost = ({ host }: ListenAddress): boolean => ANYWHERE.has(host);

/** Reports whether only this machine can reach the address. */
export const isLoopback = ({ host }: ListenAddress): boolean => isLoopbackHost(host);

export const addressText = ({ host, port }: ListenAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Returns the address at which this machine reaches a server that listens there. */
export const dialAddress = ({ host, port }: ListenAddress): ListenAddress => ({
  host: ANYWHERE.has(host) ? (host === '::' ? '::1' : '127.0.0.1') : host,
  port,
});

/** Servers to connect to, as configured in `bus.url`. */
export interface ServerList {
  /** `host:port`, without credentials. */
  readonly servers: readonly string[];
  readonly isTls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Access by configuration keys, in place of credentials in the URL. */
  readonly access?: BusAccess;
  /** A user with a key, in place of all other credentials. */
  readonly identity?: BusUser;
  /** PEM text of the certificate authority of the servers; requires TLS. */
  readonly ca?: string;
}

/** A user who proves that it has a key (NKEY). */
export interface BusUser {
  /** Seed of the key: a secret. */
  readonly seed: string;
  /** JWT of the user; null if the configuration of the server names the key. */
  readonly jwt: string | null;
}

const NATS_PORT = '4222';

/** Parses the URL of one server; null if it is invalid. */
function parseServerUrl(text: string): URL | null {
  try {
    const url = new URL(text.includes('://') ? text : `nats://${text}`);
    const isServer = (url.protocol === 'nats:' || url.protocol === 'tls:') && url.hostname !== '';
    return isServer ? url : null;
  } catch {
    return null;
  }
}

/**
 * Parses `nats://host:port`, or several separated by commas; `tls://` requires TLS. `user:password@` or `token@` of the
 * first URL applies to all. Null if one of them is not a URL of a NATS server.
 */
export function parseServerList(text: string): ServerList | null {
  const urls = text.split(',').map((part) => parseServerUrl(part.trim()));
  const [first] = urls;
  if (first === undefined || first === null || urls.includes(null)) return null;
  const servers = urls.flatMap((url) => (url === null ? [] : [`${url.hostname}:${url.port || NATS_PORT}`]));
  const name = decodeURIComponent(first.username);
  const password = decodeURIComponent(first.password);
  return {
    servers,
    isTls: first.protocol === 'tls:',
    ...(password !== '' ? { user: name, password } : name !== '' ? { token: name } : {}),
  };
}

/** Returns the servers of `bus.url` with the configured access. Throws if the URLs are invalid. */
export function configuredServers(urls: readonly string[], access: BusAccess | null): ServerList {
  const servers = parseServerList(urls.join(','));
  if (servers === null) throw new Error('bus.url: not the URL of a NATS server');
  return withAccess(servers, access);
}

export const withAccess = (servers: ServerList, access: BusAccess | null): ServerList =>
  access === null ? servers : { ...servers, access };
