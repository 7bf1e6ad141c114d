import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { Logger } from './logging.ts';

const LEVELS = {
  connected: 'info',
  ready: 'info',
  disconnected: 'warn',
  unreachable: 'warn',
  impaired: 'warn',
  'stream-impaired': 'warn',
  'stream-restored': 'info',
  'stream-repaired': 'warn',
  'server-error': 'warn',
  poisoned: 'warn',
  refused: 'warn',
  'max-deliveries-reached': 'error',
  'publish-failed': 'warn',
  listenerFailed: 'error',
} as const satisfies Record<BusEvent['type'], 'info' | 'warn' | 'error'>;

/** Logs the events of the connections to the bus. */
export class BusLog {
  private readonly logger: Logger;
  private isStopping = false;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /** From now on the service itself closes its connections: a disconnect is not a warning. */
  stopping(): void {
    this.isStopping = true;
  }

  /** Logs an event. `who` names the thread of the connection. */
  note(who: string, event: BusEvent): void {
    const { type, ...facts } = event;
    const isOwnDoing = type === 'disconnected' && this.isStopping;
    this.logger[isOwnDoing ? 'info' : LEVELS[type]]({ connection: who, ...facts }, `bus: ${type}`);
  }
}
