import { busUrl } from '../config/value-type.ts';
import { hostOfUrl, isLoopbackHost } from './bus-address.ts';

/** The DNS-SD service type `_callsheet._tcp`, without underscores and protocol. */
export const DISCOVERY_TYPE = 'callsheet';

/** Version of the announcement format. Workers ignore announcements of other versions. */
const VERSION = '1';

export const DISCOVERY_LIMITS = {
  /** A name, in characters: the maximum of one DNS label. */
  name: 63,
  /** The value of one TXT entry, in bytes: together with its key it must fit in 255 bytes. */
  entryBytes: 240,
  /** Servers of one cluster. */
  urls: 16,
} as const;

/** The content of a service's announcement. */
export interface AnnouncedService {
  /** Name of the installation. Workers look for a service by this name. */
  readonly name: string;
  /** Identifies the announcing process of the installation: its host and port. */
  readonly instance: string;
  /** URLs of the bus, never empty. */
  readonly urls: readonly string[];
}

/** An announcement as received. Any host in the network may have sent it. */
export interface HeardAnnouncement {
  readonly instance: string;
  readonly port: number;
  readonly txt: Readonly<Record<string, string>>;
  /** The IPv4 address of the sender. */
  readonly from: string;
  /** Set if the sender is this machine. */
  readonly isOwnMachine: boolean;
}

/**
 * Returns the TXT entries of a service. Without `urls` the bus is at the sender's address, at the port of the
 * announcement.
 */
export function announcementEntries(
  name: string,
  urls: readonly string[] | null,
): Readonly<Record<string, string>> {
  if (urls === null) return { v: VERSION, name };
  let bus = '';
  for (const url of urls) {
    const longer = bus === '' ? url : `${bus},${url}`;
    if (longer.length > DISCOVERY_LIMITS.entryBytes) break;
    bus = longer;
  }
  return { v: VERSION, name, bus };
}

/** Returns the service that an announcement describes, or null if this worker cannot use it. */
export function readAnnouncement(heard: HeardAnnouncement): AnnouncedService | null {
  const { v, name, bus } = heard.txt;
  if (v !== VERSION || name === undefined || name === '' || name.length > DISCOVERY_LIMITS.name) return null;
  if (!Number.isInteger(heard.port) || heard.port < 1 || heard.port > 65_535) return null;
  const said = bus === undefined ? [`nats://${heard.from}:${heard.port}`] : bus.split(',');
  if (said.length > DISCOVERY_LIMITS.urls || !said.every(isPlainUrl)) return null;
  // A loopback address is valid only on the sender's machine.
  const urls = said.filter((url) => heard.isOwnMachine || !isLoopbackHost(hostOfUrl(url)));
  return urls.length === 0 ? null : { name, instance: heard.instance, urls };
}

const isPlainUrl = (url: string): boolean => busUrl().fromText(url).ok && !url.includes('@');

/**
 * Chooses the service that a worker uses, or null if there is none. Only services of the given name count. The current
 * one is kept while it is announced; otherwise the first by instance is taken. The order of reception does not matter.
 */
export function chooseService(
  heard: readonly AnnouncedService[],
  name: string,
  current: AnnouncedService | null,
): AnnouncedService | null {
  const fitting = heard.filter((service) => service.name === name);
  const same = fitting.find((service) => service.instance === current?.instance);
  if (same !== undefined) return same;
  return fitting.reduce<AnnouncedService | null>(
    (first, service) => (first === null || service.instance < first.instance ? service : first),
    null,
  );
}
