import { searchServices, type Search } from '../../src/adapters/discovery/search.ts';
import { parseServerList, type ServerList } from '../../src/adapters/nats/server-address.ts';
import type { DiscoveryConfig } from '../../src/core/config/server-config.ts';
import { chooseService, type AnnouncedService } from '../../src/core/discovery/announced-service.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { Logger } from '../process/logging.ts';

const SECOND_MS = 1000;

/** Times of a search. */
const FINDER_LIMITS = {
  /** Time for further replies after the first one. */
  settleMs: SECOND_MS,
  /** Period in which an unsuccessful search is logged. */
  remindMs: 60 * SECOND_MS,
  /** Time without a connection after which the service is searched for again. */
  moveMs: 10 * SECOND_MS,
} as const;

/**
 * Finds the bus of the service by mDNS. Searches until it is found, and again after a longer time without a connection.
 */
export class BusDiscovery {
  private readonly config: DiscoveryConfig;
  private readonly logger: Logger;
  private current: { readonly service: AnnouncedService; readonly servers: ServerList } | null = null;
  private heard: readonly AnnouncedService[] = [];
  private search: Search | null = null;
  private settling: NodeJS.Timeout | undefined;
  private reminding: NodeJS.Timeout | undefined;
  private moving: NodeJS.Timeout | undefined;
  private onFound: () => void = () => undefined;

  constructor(config: DiscoveryConfig, logger: Logger) {
    this.config = config;
    this.logger = logger;
  }

  /** Resolves when a service is found or `stopping` is aborted. */
  async first(stopping: AbortSignal): Promise<void> {
    if (stopping.aborted) return;
    const { name } = this.config;
    this.logger.info({ name }, 'looking for the service by mDNS');
    this.reminding = setInterval(() => {
      this.logger.warn({ name }, 'no service of this name is announced; still looking');
    }, FINDER_LIMITS.remindMs);
    await new Promise<void>((resolve) => {
      this.onFound = resolve;
      stopping.addEventListener('abort', () => resolve(), { once: true });
      this.begin();
    });
    clearInterval(this.reminding);
  }

  /** Returns the current servers of the bus. Throws before a service is found. */
  servers(): ServerList {
    if (this.current === null) throw new Error('no service has been found yet');
    return this.current.servers;
  }

  /** Handles an event of the connection to the bus. */
  noticed({ type }: BusEvent): void {
    if (type === 'connected') this.rest();
    if (type !== 'disconnected' && type !== 'unreachable') return;
    this.moving ??= setTimeout(() => {
      this.begin();
    }, FINDER_LIMITS.moveMs);
  }

  close(): void {
    clearInterval(this.reminding);
    this.rest();
  }

  private begin(): void {
    this.heard = [];
    this.search ??= searchServices({
      interfaces: this.config.interfaces,
      complain: (text, reason) => this.logger.warn({ reason }, text),
      heard: (services) => {
        this.heard = services;
        this.settling ??= setTimeout(() => this.settle(), FINDER_LIMITS.settleMs);
      },
    });
  }

  private rest(): void {
    clearTimeout(this.moving);
    clearTimeout(this.settling);
    this.moving = undefined;
    this.settling = undefined;
    this.search?.stop();
    this.search = null;
  }

  private settle(): void {
    this.settling = undefined;
    const { current } = this;
    const service = chooseService(this.heard, this.config.name, current?.service ?? null);
    const servers = service === null ? null : parseServerList(service.urls.join(','));
    if (service === null || servers === null) return;
    const bus = service.urls.join(',');
    if (current !== null && current.service.urls.join(',') === bus) return;
    this.current = { service, servers };
    const others = this.heard.filter((each) => each !== service).map((each) => each.instance);
    this.logger.info(
      { service: service.instance, bus, others: others.join(' ') },
      current === null ? 'found the service' : 'the service has moved: following it',
    );
    if (current === null) this.rest();
    this.onFound();
  }
}
