import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { Logger } from './logging.ts';

const LEVELS = {
  connected: 'info',
  ready: 'info',
  disconnected: 'warn',
  unreachable: 'warn',
  impaired: 'warn',
  'server-error': 'warn',
  poisoned: 'warn',
  'max-deliveries-reached': 'error',
  'publish-failed': 'warn',
  listenerFailed: 'error',
} as const satisfies Record<BusEvent['type'], 'info' | 'warn' | 'error'>;

/** Writes what happens to the connections of the bus into the log. */
export class BusLog {
  private readonly logger: Logger;
  private isStopping = false;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /** Connections that end from now on are ended by the service itself. */
  stopping(): void {
    this.isStopping = true;
  }

  /** `who` names the thread that the connection belongs to. */
  note(who: string, event: BusEvent): void {
    const { type, ...facts } = event;
    const isOwnDoing = type === 'disconnected' && this.isStopping;
    this.logger[isOwnDoing ? 'info' : LEVELS[type]]({ connection: who, ...facts }, `bus: ${type}`);
  }
}
