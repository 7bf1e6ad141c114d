import type { ListenAddress } from '../config/value-type.ts';

/** Whether only the machine itself reaches the host. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.[0-9.]+$/.test(host);

const HOST = /^[a-z]+:\/\/(?:[^@/]*@)?(?:\[([^\]]+)\]|([^:/]+))/;

/** The host of a NATS URL, without brackets; empty when there is none. */
export function hostOfUrl(url: string): string {
  const match = HOST.exec(url);
  return match?.[1] ?? match?.[2] ?? '';
}

const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** What a service can tell others of its bus. */
export type BusReach =
  | {
      /** Null: wherever the service's host is reached, at `port`. */
      readonly urls: readonly string[] | null;
      readonly port: number;
      /** Whether only workers on the same machine reach it. */
      readonly isLocal: boolean;
    }
  /** Why it is not told. */
  | { readonly refusal: string };

/**
 * Where workers reach the bus: the servers of `bus.url`, or else the managed one, which listens on `listen`. Credentials are
 * never told.
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
