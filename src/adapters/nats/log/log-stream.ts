import { randomInt } from 'node:crypto';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { StoredRecord } from '../../../core/cluster/node-messages.ts';
import { BusConnection } from '../connection.ts';
import { RequestMux } from '../request-mux.ts';
import type { ServerList } from '../server-address.ts';
import { API_ERRORS, field, numberField, readApiReply, textField, type ApiReply } from './api-reply.ts';
import { BatchReader } from './batch-reader.ts';
import { clusterNames, type ClusterNames } from './cluster-names.ts';
import { NodeMessages } from './node-messages.ts';
import { logStreamConfig, readLogInfo, type LogIdentity, type LogInfo } from './stream-config.ts';
import { TailWatch } from './tail-watch.ts';

/** An append or a read without an answer by then has none. */
const ANSWER_MS = 1000;
/** A copy without an answer by then is perhaps on a server that does not answer: the leader is asked. */
const COPY_MS = 250;
/** Creating a stream waits until its servers have elected a leader. */
const CREATE_MS = 5000;
/** Bounds of the time that a read waits for the next record: random, so that nodes do not all read at the same moment. */
const POLL_MS = { min: 100, max: 250 } as const;
/** A server that gets no answer of the leader for so long is perhaps cut off from it: another one is dialed. */
const REDIAL_MS = 4000;
/** A connection whose server does not answer is replaced after three of these. */
const PING_MS = 1000;
const EXPECTED_LAST_HEADER = 'Nats-Expected-Last-Sequence';

export interface LogStreamOptions {
  readonly servers: ServerList;
  readonly cluster: string;
  readonly node: string;
}

export interface LogStreamEvents {
  /** Connected, for the first time or again. */
  connected(): void;
  /** The log does not do what it should: one line. */
  troubled(text: string): void;
}

/** Result of an append. Only `stored` is certain: the record may be in the log after each of the others. */
export type AppendResult =
  | { readonly type: 'stored'; readonly position: number }
  | { readonly type: 'refused' }
  | { readonly type: 'unanswered' };

/** Consecutive records from the requested position, perhaps none. Fields as in the input `tail.read` of a node. */
export interface TailRead {
  readonly records: readonly StoredRecord[];
  readonly first: number;
  readonly last: number;
  readonly isFromLeader: boolean;
}

/** Result of asking for the stream. */
export type LookUp =
  | { readonly type: 'found'; readonly info: LogInfo }
  | { readonly type: 'missing' }
  | { readonly type: 'unanswered'; readonly reason: string };

/**
 * The log of a cluster as a JetStream stream, over a connection of its own that reconnects. Every request has exactly one
 * result, after a second at the latest; answers that arrive later are dropped. A request on a connection that was lost is
 * unanswered.
 */
export class LogStream {
  readonly #names: ClusterNames;
  readonly #cluster: string;
  readonly #events: LogStreamEvents;
  readonly #connection: BusConnection;
  readonly #mux: RequestMux;
  readonly #batches: BatchReader;
  readonly #tail: TailWatch;
  /** Other messages between the nodes, over the same connection. */
  readonly messages: NodeMessages;
  /** Since when the leader has not answered; null if it has. */
  #silentSinceMs: number | null = null;

  constructor({ servers, cluster, node }: LogStreamOptions, events: LogStreamEvents) {
    this.#cluster = cluster;
    this.#events = events;
    this.#names = clusterNames(cluster);
    this.#connection = new BusConnection(
      { servers, name: `callsheet log of ${cluster}, node ${node}`, pingMs: PING_MS },
      {
        sessionStarted: (nc) => {
          this.#mux.sessionStarted(nc);
          this.#batches.sessionStarted(nc);
          this.#tail.sessionStarted(nc);
          this.messages.sessionStarted(nc);
          events.connected();
        },
        sessionEnded: () => {
          this.#silentSinceMs = null;
          this.#mux.sessionEnded();
          this.#batches.sessionEnded();
          this.messages.sessionEnded();
        },
        changed: (event) => {
          if (event.type === 'unreachable') events.troubled(`no server of the bus answers: ${event.reason}`);
          if (event.type === 'server-error') events.troubled(event.reason);
        },
      },
    );
    this.#mux = new RequestMux(this.#connection, '_INBOX');
    this.#batches = new BatchReader(this.#connection, this.#names.stream);
    this.#tail = new TailWatch(this.#names.tail);
    this.messages = new NodeMessages(this.#connection, this.#mux);
  }

  /** Appends a record at a position: only if the last record of the log is the one before it. */
  async append(position: number, bytes: Uint8Array): Promise<AppendResult> {
    const reply = await this.#ask(this.#names.log, bytes, ANSWER_MS, expectedLast(position - 1));
    this.#noteAnswer(reply !== null);
    if (reply === null) return { type: 'unanswered' };
    if (reply.type === 'answer') {
      const sequence = numberField(reply.fields, 'seq');
      return sequence === null ? { type: 'unanswered' } : { type: 'stored', position: sequence };
    }
    if (reply.code === API_ERRORS.wrongLastSequence || reply.code === API_ERRORS.wrongLastSequenceLater)
      return { type: 'refused' };
    this.#events.troubled(`the log accepts no records: ${reply.text}`);
    return { type: 'unanswered' };
  }

  /** Tells all nodes how far the log is. */
  announce(position: number): void {
    this.#connection.publish(this.#names.tail, String(position));
  }

  /**
   * Reads records from a position: of any copy of the log, or of its leader if the copy does not have them. `isWaiting`:
   * waits a moment for the next record. Null without an answer.
   *
   * The servers may pass the read of a copy on to one that does not answer. So a copy is read only if there is something to
   * read, and not for long: without an announcement the leader alone is asked. Otherwise a server that is paused or cut off
   * would look like a stall of the log, and no node would take over from its owner.
   */
  async read(from: number, isWaiting: boolean): Promise<TailRead | null> {
    if (isWaiting) {
      const isAnnounced = await this.#tail.reached(from, randomInt(POLL_MS.min, POLL_MS.max));
      const read = isAnnounced ? await this.#readCopy(from) : null;
      if (read !== null) return read;
    }
    const look = await this.lookUp();
    // A log that does not exist has no records. The node decides how long it believes that.
    if (look.type === 'missing') return { records: [], first: 1, last: 0, isFromLeader: true };
    if (look.type === 'unanswered') return null;
    const { first, last } = look.info;
    this.#tail.learned(last);
    if (last < from || first > from) return { records: [], first, last, isFromLeader: true };
    const batch = await this.#batches.read(from, COPY_MS);
    if (batch !== null && batch.records.length > 0)
      return { records: batch.records, first, last, isFromLeader: true };
    return this.#readOfLeader(from, first, last);
  }

  async #readCopy(from: number): Promise<TailRead | null> {
    const batch = await this.#batches.read(from, COPY_MS);
    if (batch === null || batch.records.length === 0) return null;
    return { records: batch.records, first: from, last: batch.last, isFromLeader: false };
  }

  async #readOfLeader(from: number, first: number, last: number): Promise<TailRead | null> {
    const reply = await this.#askApi(`STREAM.MSG.GET.${this.#names.stream}`, { seq: from }, ANSWER_MS);
    if (reply === null) return null;
    if (reply.type === 'error') {
      // The leader has later records, and not this one.
      if (reply.code === API_ERRORS.messageNotFound)
        return { records: [], first: Math.max(first, from + 1), last, isFromLeader: true };
      this.#events.troubled(`record ${from} of the log cannot be read: ${reply.text}`);
      return null;
    }
    const data = textField(field(reply.fields, 'message'), 'data');
    if (data === null) return null;
    const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
    return { records: [{ position: from, bytes }], first, last, isFromLeader: true };
  }

  /** Asks the leader of the stream for its state. */
  async lookUp(): Promise<LookUp> {
    const reply = await this.#askApi(`STREAM.INFO.${this.#names.stream}`, {}, ANSWER_MS);
    this.#noteAnswer(reply?.type === 'answer');
    if (reply === null) return { type: 'unanswered', reason: 'it has no leader that answers' };
    if (reply.type === 'error')
      return reply.code === API_ERRORS.streamNotFound
        ? { type: 'missing' }
        : { type: 'unanswered', reason: reply.text };
    const info = readLogInfo(reply.fields);
    return info === null
      ? { type: 'unanswered', reason: 'its leader gave an answer without its state' }
      : { type: 'found', info };
  }

  /**
   * Creates the stream. Of several nodes that do so at the same time, one succeeds: look up the identity afterwards.
   * Resolves with why the server refused it, or null.
   */
  async create(replicas: number, identity: LogIdentity): Promise<string | null> {
    const config = logStreamConfig(this.#cluster, replicas, identity);
    const reply = await this.#askApi(`STREAM.CREATE.${this.#names.stream}`, config, CREATE_MS);
    if (reply === null) return 'the servers gave no answer';
    return reply.type === 'error' ? reply.text : null;
  }

  /** Removes the records before a position. Resolves with whether the log did so. */
  async trim(before: number): Promise<boolean> {
    const reply = await this.#askApi(`STREAM.PURGE.${this.#names.stream}`, { seq: before }, ANSWER_MS);
    if (reply?.type === 'error') this.#events.troubled(`the log cannot be trimmed: ${reply.text}`);
    return reply?.type === 'answer';
  }

  /** Asks the servers to let another one lead the stream. Appends wait for a moment. Resolves with whether they did. */
  async moveLeader(server: string): Promise<boolean> {
    const request = { placement: { preferred: server } };
    const reply = await this.#askApi(`STREAM.LEADER.STEPDOWN.${this.#names.stream}`, request, ANSWER_MS);
    return reply?.type === 'answer';
  }

  /** Ends all requests without an answer, and the connection. */
  close(): Promise<void> {
    this.#tail.end();
    return this.#connection.close();
  }

  #noteAnswer(isAnswered: boolean): void {
    const nowMs = performance.now();
    this.#silentSinceMs = isAnswered ? null : (this.#silentSinceMs ?? nowMs);
    if (this.#silentSinceMs === null || nowMs - this.#silentSinceMs < REDIAL_MS) return;
    this.#silentSinceMs = null;
    void this.#connection.redial();
  }

  #askApi(request: string, body: object, timeoutMs: number): Promise<ApiReply | null> {
    return this.#ask(`$JS.API.${request}`, JSON.stringify(body), timeoutMs);
  }

  async #ask(
    subject: string,
    body: string | Uint8Array,
    timeoutMs: number,
    withHeaders?: MsgHdrs,
  ): Promise<ApiReply | null> {
    const question = { subject, timeoutMs, kind: 'log', ...(withHeaders && { headers: withHeaders }) };
    const answer = await this.#mux.ask(question, body);
    return answer.type === 'answered' ? readApiReply(answer.message.data) : null;
  }
}

function expectedLast(position: number): MsgHdrs {
  const result = headers();
  result.set(EXPECTED_LAST_HEADER, String(position));
  return result;
}
