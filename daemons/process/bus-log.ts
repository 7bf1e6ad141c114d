import { isUuid } from '../../src/core/ids.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import { lastToken } from '../../src/core/wire/subjects.ts';
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
  'max-deliveries-reached': 'error',
  'publish-failed': 'warn',
  listenerFailed: 'error',
} as const satisfies Record<Exclude<BusEvent['type'], 'refused'>, 'info' | 'warn' | 'error'>;

/** Minimum time between two records about messages that were refused for the same reason. */
const REFUSED_EVERY_MS = 10_000;

type Refused = Extract<BusEvent, { type: 'refused' }>;

/** Logs the events of the connections to the bus. */
export class BusLog {
  private readonly logger: Logger;
  private isStopping = false;
  /** By connection and reason: when refused messages were last logged, and how many more were refused since. */
  private readonly refusals = new Map<string, { loggedAt: number; since: number }>();

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /** From now on the service itself closes its connections: a disconnect is not a warning. */
  stopping(): void {
    this.isStopping = true;
  }

  /** Logs an event. `who` names the thread of the connection. */
  note(who: string, event: BusEvent): void {
    if (event.type === 'refused') {
      this.noteRefused(who, event);
      return;
    }
    const { type, ...facts } = event;
    const isOwnDoing = type === 'disconnected' && this.isStopping;
    this.logger[isOwnDoing ? 'info' : LEVELS[type]]({ connection: who, ...facts }, `bus: ${type}`);
  }

  /** A hostile client may cause these events all the time. */
  private noteRefused(who: string, { reason, subject, count }: Refused): void {
    const key = `${who} ${reason}`;
    const known = this.refusals.get(key) ?? { loggedAt: -Infinity, since: 0 };
    this.refusals.set(key, known);
    known.since += count;
    const now = performance.now();
    if (now - known.loggedAt < REFUSED_EVERY_MS) return;
    const worker = lastToken(subject);
    this.logger.warn(
      {
        connection: who,
        reason,
        subject,
        count: known.since,
        ...(isUuid(worker) ? { worker_id: worker } : {}),
      },
      'bus: messages of a worker are refused',
    );
    known.loggedAt = now;
    known.since = 0;
  }
}
