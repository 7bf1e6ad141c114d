import { networkInterfaces } from 'node:os';
import type bonjour from 'bonjour-service';
import {
  DISCOVERY_TYPE,
  readAnnouncement,
  type AnnouncedService,
} from '../../core/discovery/announced-service.ts';
import { isLoopbackHost } from '../../core/discovery/bus-address.ts';
import { MDNS_LIMITS } from './limits.ts';
import { openMdns, type MdnsOptions } from './mdns.ts';

interface SearchOptions extends MdnsOptions {
  /** Called with all usable services each time a new one is found. */
  readonly heard: (services: readonly AnnouncedService[]) => void;
}

export interface Search {
  stop(): void;
}

type Browser = ReturnType<bonjour['find']>;

/**
 * Searches for services by mDNS until it is stopped. Only current replies count: results of earlier searches are not
 * kept.
 */
export function searchServices(options: SearchOptions): Search {
  const { library, socket } = openMdns(options);
  let browser: Browser | null = null;
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;
  let isOver = false;

  const tell = (): void => {
    if (browser === null) return;
    const services = browser.services.flatMap((service) => announcedBy(service) ?? []);
    if (browser.services.length > MDNS_LIMITS.servicesMax) begin();
    if (services.length > 0) options.heard(services);
  };
  const begin = (): void => {
    browser?.stop();
    browser = library.find({ type: DISCOVERY_TYPE });
    browser.on('up', tell);
    browser.on('srv-update', tell);
    browser.on('txt-update', tell);
  };
  const askAgain = (): void => {
    const { askMsMin, askMsMax } = MDNS_LIMITS;
    const most = Math.min(askMsMax, askMsMin * 2 ** Math.min(asked, 10));
    asked++;
    timer = setTimeout(
      () => {
        browser?.update();
        askAgain();
      },
      most / 2 + (most / 2) * Math.random(),
    );
  };
  void socket.untilReady().then(() => {
    if (isOver) return;
    begin();
    askAgain();
  });
  return {
    stop: () => {
      isOver = true;
      clearTimeout(timer);
      browser?.stop();
      library.destroy();
    },
  };
}

/** The fields of an announcement come from the network: each is validated. */
function announcedBy(service: Browser['services'][number]): AnnouncedService | null {
  const { name, port, referer } = service;
  const txt: unknown = service.txt;
  if (typeof name !== 'string' || referer === undefined || typeof txt !== 'object' || txt === null)
    return null;
  const entries = Object.entries(txt).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return readAnnouncement({
    instance: name,
    port,
    txt: Object.fromEntries(entries),
    from: referer.address,
    isOwnMachine: isOwnAddress(referer.address),
  });
}

const isOwnAddress = (address: string): boolean =>
  isLoopbackHost(address) ||
  Object.values(networkInterfaces()).some((list) => list?.some((each) => each.address === address));
