import {
  announcementEntries,
  DISCOVERY_LIMITS,
  DISCOVERY_TYPE,
} from '../../core/discovery/announced-service.ts';
import { MDNS_LIMITS } from './limits.ts';
import { openMdns, type MdnsOptions } from './mdns.ts';

interface AnnouncementOptions extends MdnsOptions {
  /** Which installation this is. */
  readonly name: string;
  readonly hostName: string;
  /** Port of the bus. */
  readonly port: number;
  /** Where the bus is; null: at this host, whatever the address. */
  readonly urls: readonly string[] | null;
}

export interface Announcement {
  /** Says that the service is no longer there, and is silent from then on. */
  withdraw(): Promise<void>;
}

/** Announces the service by mDNS, and answers who asks for it, until it is withdrawn. */
export function announceService(options: AnnouncementOptions): Announcement {
  const { name, hostName, port, urls } = options;
  const { library, socket } = openMdns(options);
  let isOver = false;
  void socket.untilSpeaking().then(() => {
    if (isOver) return;
    library.publish({
      name: instanceName(name, hostName, port),
      type: DISCOVERY_TYPE,
      port,
      host: `${asLabel(hostName)}.local`,
      txt: announcementEntries(name, urls),
      // The name holds host and port; the library would answer a conflict by giving the service up.
      probe: false,
    });
  });
  return {
    withdraw: () => {
      isOver = true;
      return new Promise((resolve) => {
        const close = (): void => {
          clearTimeout(late);
          library.destroy(resolve);
        };
        const late = setTimeout(close, MDNS_LIMITS.farewellMs);
        library.unpublishAll(close);
      });
    },
  };
}

/** One label of a DNS name: no dots, which the library would take apart. */
const asLabel = (text: string): string =>
  text.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, DISCOVERY_LIMITS.name);

function instanceName(name: string, hostName: string, port: number): string {
  const end = `-${port}`;
  return `${asLabel(`${name}-${hostName}`).slice(0, DISCOVERY_LIMITS.name - end.length)}${end}`;
}
