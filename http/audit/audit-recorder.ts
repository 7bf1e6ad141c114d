/**
 * States of the denials: idle, draining (a batch waits for its time or is being stored). Invariants: at most
 * `WAITING_MAX` events wait; one batch is stored at a time. Exits: all waiting events are stored.
 */

import { AUDIT_LOG } from '../../actors/service/audit/messages.ts';
import { TokenBucket } from '../../src/core/rate-limit/token-bucket.ts';
import type { AuditEvent } from '../../src/core/records/audit-entry.ts';
import type { Ports } from '../ports.ts';
import type { Audit, AuditInput } from './audit.ts';

/** Ports of the recorder. */
export type RecorderPorts = Pick<Ports, 'actors' | 'newId' | 'log' | 'delay' | 'steadyNow'>;

/** Maximum number of events that wait. Further ones are dropped and counted. */
export const WAITING_MAX = 10_000;
/** Time between two batches, and events of one: at most 2,000 events are stored in a second. */
const BATCH_MS = 100;
export const BATCH_MAX = 200;

/** Denied requests in the log of the service: at first, and then per second. */
const LOGGED = { rps: 10, burst: 100 };

/** Stores events by the audit actor (docs/decisions/audit.md). */
export class AuditRecorder implements Audit {
  readonly #ports: RecorderPorts;
  readonly #waiting: AuditEvent[] = [];
  readonly #logged: TokenBucket;
  readonly #stopping = new AbortController();
  #draining: Promise<void> | null = null;
  /** Events that were dropped since the last one that was not. */
  #dropped = 0;
  /** Denied requests that were not logged since the last one that was. */
  #unlogged = 0;

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
    this.#logged = new TokenBucket(LOGGED, ports.steadyNow());
  }

  record(event: AuditInput): Promise<boolean> {
    return this.#store([{ ...event, id: this.#ports.newId(), dropped: 0 }]);
  }

  recordLater(event: AuditInput): void {
    if (event.outcome === 'denied') this.#log(event);
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) {
      const text = 'denied requests were not recorded in the audit log: there were too many';
      this.#ports.log('error', text, { count: String(this.#dropped) });
    }
    this.#waiting.push({ ...event, id: this.#ports.newId(), dropped: this.#dropped });
    this.#dropped = 0;
    this.#draining ??= this.#drain();
  }

  /** Stores all waiting events without delay. Resolves when they are on disk, or could not be stored. */
  async flush(): Promise<void> {
    this.#stopping.abort();
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#ports.delay(BATCH_MS, this.#stopping.signal);
      await this.#store(this.#waiting.splice(0, BATCH_MAX));
    }
    this.#draining = null;
  }

  async #store(events: readonly AuditEvent[]): Promise<boolean> {
    const [{ requestId = '' } = {}] = events;
    const failed = (reason: string): false => {
      const attributes = { count: String(events.length), request_id: requestId, error: reason };
      this.#ports.log('error', 'the audit log could not be written', attributes);
      return false;
    };
    try {
      const outcome = await this.#ports.actors.ask<null>((replyTo) => ({
        actor: 'audit',
        id: AUDIT_LOG,
        message: { type: 'audit.record', events, replyTo },
      }));
      return outcome.ok || failed(outcome.problem.detail);
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  #log(event: AuditInput): void {
    if (!this.#logged.take(this.#ports.steadyNow())) {
      this.#unlogged++;
      return;
    }
    this.#ports.log('warn', 'a request was denied', {
      actor: event.actor,
      method: event.method,
      path: event.path,
      permission: event.permission,
      status: String(event.status),
      reason: event.reason ?? '',
      request_id: event.requestId,
      remote_addr: event.remoteAddress,
      ...(this.#unlogged > 0 && { denied_before_without_record: String(this.#unlogged) }),
    });
    this.#unlogged = 0;
  }
}
