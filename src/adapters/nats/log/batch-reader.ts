import { randomBytes } from 'node:crypto';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { StoredRecord } from '../../../core/cluster/node-messages.ts';
import type { BusConnection } from '../connection.ts';
import { RandomTokens } from '../random-tokens.ts';

/** Maximum number of messages of one read, and about the maximum of their bytes. */
const BATCH = { messages: 256, bytes: 4 * 1024 * 1024 };
const INBOX_BYTES = 18;
const SEQUENCE_HEADER = 'Nats-Sequence';
const PENDING_HEADER = 'Nats-Num-Pending';

/** Consecutive records of a copy of the log, which may be an old one. */
export interface Batch {
  readonly records: readonly StoredRecord[];
  /** Position of the last record of that copy. */
  readonly last: number;
}

interface Pending {
  readonly token: string;
  readonly from: number;
  readonly records: StoredRecord[];
  pendingAfter: number;
  readonly settle: (batch: Batch | null) => void;
  readonly timer: NodeJS.Timeout;
}

/** Reads records from any copy of the stream, many by one request. One read at a time. */
export class BatchReader {
  readonly #connection: Pick<BusConnection, 'publish'>;
  readonly #subject: string;
  readonly #inbox = `_INBOX.${randomBytes(INBOX_BYTES).toString('base64url')}`;
  readonly #tokens = new RandomTokens();
  #pending: Pending | null = null;

  constructor(connection: Pick<BusConnection, 'publish'>, stream: string) {
    this.#connection = connection;
    this.#subject = `$JS.API.DIRECT.GET.${stream}`;
  }

  sessionStarted(nc: Pick<NatsConnection, 'subscribe'>): void {
    nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#arrived(message);
      },
    });
  }

  sessionEnded(): void {
    this.#settle(null);
  }

  /**
   * Reads the records from a position. Resolves with an empty batch if the copy has none, or not the first one, and with
   * null without an answer in time.
   */
  read(from: number, timeoutMs: number): Promise<Batch | null> {
    if (this.#pending !== null) throw new RangeError('the log is read twice at the same time');
    const token = this.#tokens.next();
    return new Promise((resolve) => {
      // The records that have arrived by then are consecutive: a batch.
      const timer = setTimeout(
        () => this.#settle((this.#pending?.records.length ?? 0) > 0 ? 'arrived' : null),
        timeoutMs,
      );
      this.#pending = { token, from, records: [], pendingAfter: 0, settle: resolve, timer };
      const request = JSON.stringify({ seq: from, batch: BATCH.messages, max_bytes: BATCH.bytes });
      const sent = this.#connection.publish(this.#subject, request, { reply: `${this.#inbox}.${token}` });
      if (sent !== 'sent') this.#settle(null);
    });
  }

  #arrived({ subject, headers, data }: Msg): void {
    const pending = this.#pending;
    if (pending === null || subject.slice(this.#inbox.length + 1) !== pending.token) return;
    const position = Number(headers?.get(SEQUENCE_HEADER) ?? '');
    // A status ends the batch: no record, no more records, or no server that has the stream.
    if (headers === undefined || headers.code !== 0 || position === 0) {
      this.#settle('arrived');
      return;
    }
    if (position !== pending.from + pending.records.length) {
      this.#settle('arrived');
      return;
    }
    pending.records.push({ position, bytes: data });
    pending.pendingAfter = Number(headers.get(PENDING_HEADER));
    if (pending.records.length === BATCH.messages || pending.pendingAfter === 0) this.#settle('arrived');
  }

  #settle(result: 'arrived' | null): void {
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    clearTimeout(pending.timer);
    const { records, from, pendingAfter, settle } = pending;
    settle(result === null ? null : { records, last: from - 1 + records.length + pendingAfter });
  }
}
