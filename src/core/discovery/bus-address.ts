import type { ListenAddress } from '../config/value-type.ts';

/** Reports whether the host is reachable only from the machine itself. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.[0-9.]+$/.test(host);

const HOST = /^[a-z]+:\/\/(?:[^@/]*@)?(?:\[([^\]]+)\]|([^:/]+))/;

/** Returns the host of a NATS URL, without brackets, or an empty text if there is none. */
export function hostOfUrl(url: string): string {
  const match = HOST.exec(url);
  return match?.[1] ?? match?.[2] ?? '';
}

const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Addresses of the bus that a service can announce. */
export type BusReach =
  | {
      /** Null: the bus is at the service's own host, at `port`. */
      readonly urls: readonly string[] | null;
      readonly port: number;
      /** Set if only workers on the same machine can reach it. */
      readonly isLocal: boolean;
    }
  /** Why the bus is not announced. */
  | { readonly refusal: string };

/**
 * Returns the addresses at which workers reach the bus: the servers of `bus.url`, or else the managed one, which
 * listens on `listen`. Credentials are never announced.
 */
export function busReach(urls: readonly string[], listen: ListenAddress): BusReach {
  if (urls.length > 0) {
    if (urls.some((url) => url.includes('@'))) {
      return { refusal: 'bus.url holds credentials, which are not announced: give workers their bus.url' };
    }
    return { urls, port: listen.port, isLocal: urls.every((url) => isLoopbackHost(hostOfUrl(url))) };
  }
  const { host, port } = listen;
  if (ANY_HOST.has(host)) return { urls: null, port, isLocal: false };
  const url = `nats://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { urls: [url], port, isLocal: isLoopbackHost(host) };
}
