import { busUrl } from '../config/value-type.ts';
import { hostOfUrl, isLoopbackHost } from './bus-address.ts';

/** The service type in the terms of DNS-SD: `_callsheet._tcp`. */
export const DISCOVERY_TYPE = 'callsheet';

/** The version of what an announcement holds: a worker looks at no other. */
const VERSION = '1';

export const DISCOVERY_LIMITS = {
  /** A name, in characters: what one label of a DNS name holds. */
  name: 63,
  /** The value of one TXT entry, in bytes: with its key it has to fit 255. */
  entryBytes: 240,
  /** Servers of one cluster. */
  urls: 16,
} as const;

/** A service as its announcement describes it. */
export interface AnnouncedService {
  /** Which installation it is: workers look for one by this name. */
  readonly name: string;
  /** Which announcement of it: the host and port. */
  readonly instance: string;
  /** Where its bus is, never empty. */
  readonly urls: readonly string[];
}

/** An announcement as it was heard. Whoever is in the network may have said it. */
export interface HeardAnnouncement {
  readonly instance: string;
  readonly port: number;
  readonly txt: Readonly<Record<string, string>>;
  /** The IPv4 address that it came from. */
  readonly from: string;
  /** Whether that is an address of this machine. */
  readonly isOwnMachine: boolean;
}

/** The TXT entries of a service. Without `urls` the bus is at the address that the announcement comes from, at its port. */
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

/** The service that an announcement describes; null when this worker cannot use it. */
export function readAnnouncement(heard: HeardAnnouncement): AnnouncedService | null {
  const { v, name, bus } = heard.txt;
  if (v !== VERSION || name === undefined || name === '' || name.length > DISCOVERY_LIMITS.name) return null;
  if (!Number.isInteger(heard.port) || heard.port < 1 || heard.port > 65_535) return null;
  const said = bus === undefined ? [`nats://${heard.from}:${heard.port}`] : bus.split(',');
  if (said.length > DISCOVERY_LIMITS.urls || !said.every(isPlainUrl)) return null;
  // A loopback address means the machine that said it.
  const urls = said.filter((url) => heard.isOwnMachine || !isLoopbackHost(hostOfUrl(url)));
  return urls.length === 0 ? null : { name, instance: heard.instance, urls };
}

const isPlainUrl = (url: string): boolean => busUrl().fromText(url).ok && !url.includes('@');

/**
 * The service that a worker takes of those that were heard: of its name, the one that it had before if it is still
 * announced, else the first by instance. The order in which they were heard does not matter. Null when there is none.
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
