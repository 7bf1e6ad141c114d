import {
  announcementEntries,
  DISCOVERY_LIMITS,
  DISCOVERY_TYPE,
} from '../../core/discovery/announced-service.ts';
import { MDNS_LIMITS } from './limits.ts';
import { openMdns, type MdnsOptions } from './mdns.ts';

interface AnnouncementOptions extends MdnsOptions {
  /** Name of the installation. */
  readonly name: string;
  readonly hostName: string;
  /** Port of the bus. */
  readonly port: number;
  /** URLs of the bus; null: at this host, at any of its addresses. */
  readonly urls: readonly string[] | null;
}

export interface Announcement {
  /** Announces that the service has stopped, and sends nothing afterwards. */
  withdraw(): Promise<void>;
}

/** Announces the service by mDNS, and answers queries for it, until it is withdrawn. */
export function announceService(options: AnnouncementOptions): Announcement {
  const { name, hostName, port, urls } = options;
  const { library, socket } = openMdns(options);
  let isOver = false;
  void socket.untilReady().then(() => {
    if (isOver) return;
    library.publish({
      name: instanceName(name, hostName, port),
      type: DISCOVERY_TYPE,
      port,
      host: `${asLabel(hostName)}.local`,
      txt: announcementEntries(name, urls),
      // The name contains host and port, so conflicts are not expected; the library would respond to one by withdrawing
      // the service.
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

/** Returns one label of a DNS name: without dots, at which the library would split it. */
const asLabel = (text: string): string =>
  text.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, DISCOVERY_LIMITS.name);

function instanceName(name: string, hostName: string, port: number): string {
  const end = `-${port}`;
  return `${asLabel(`${name}-${hostName}`).slice(0, DISCOVERY_LIMITS.name - end.length)}${end}`;
}
