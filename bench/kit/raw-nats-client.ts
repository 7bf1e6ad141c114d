import { connect, type Socket } from 'node:net';
import { ANONYMOUS, connectLine, seedAccess, type BusAccess } from './connect-line.ts';

/**
 * A compact NATS client: one socket, plain publish and subscribe, no headers, no reconnect. Used where the client must
 * not dominate the measurement; everything else uses nats.js.
 */
export class RawNatsClient {
  private readonly socket: Socket;
  private readonly onMessage: (subscription: number, payload: Buffer, replyTo: string) => void;
  private readonly access: BusAccess;
  private pending: Buffer = Buffer.alloc(0);
  private queued: string[] = [];
  private isReady: (() => void) | null = null;
  readonly closed: Promise<Error | null>;

  private constructor(
    host: string,
    port: number,
    onMessage: (subscription: number, payload: Buffer, replyTo: string) => void,
    seed: string | null,
  ) {
    this.access = seed === null ? ANONYMOUS : seedAccess(seed);
    this.onMessage = onMessage;
    this.socket = connect({ host, port, noDelay: true });
    this.socket.on('data', (chunk) => this.received(chunk));
    this.closed = new Promise((resolve) => {
      this.socket.once('error', resolve);
      this.socket.once('close', () => resolve(null));
    });
  }

  /** Connects, and resolves once the server has answered. With a seed, as the user with this key. */
  static async open(
    host: string,
    port: number,
    onMessage: (subscription: number, payload: Buffer, replyTo: string) => void,
    seed: string | null = null,
  ): Promise<RawNatsClient> {
    const client = new RawNatsClient(host, port, onMessage, seed);
    const ready = new Promise<void>((resolve) => {
      client.isReady = resolve;
    });
    const failed = client.closed.then((error) => {
      throw error ?? new Error('the NATS server closed the connection');
    });
    failed.catch(() => undefined);
    await Promise.race([ready, failed]);
    return client;
  }

  /** The server may send later greetings, for clusters. */
  private greeted(line: string): void {
    if (this.isReady !== null) this.write(connectLine(line, this.access));
  }

  subscribe(subject: string, subscription: number): void {
    this.write(`SUB ${subject} ${subscription}\r\n`);
  }

  publish(subject: string, payload: string, replyTo = ''): void {
    const reply = replyTo === '' ? '' : `${replyTo} `;
    this.write(`PUB ${subject} ${reply}${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
  }

  close(): void {
    this.socket.end();
  }

  /** Messages of one turn of the event loop are sent in one write. */
  private write(text: string): void {
    this.queued.push(text);
    if (this.queued.length > 1) return;
    queueMicrotask(() => {
      this.socket.write(this.queued.join(''));
      this.queued = [];
    });
  }

  private received(chunk: Buffer): void {
    const data = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    let at = 0;
    for (;;) {
      const lineEnd = data.indexOf('\r\n', at);
      if (lineEnd < 0) break;
      const next = this.take(data, at, lineEnd);
      if (next < 0) break;
      at = next;
    }
    this.pending = at === 0 ? data : data.subarray(at);
  }

  /** Handles the protocol line at `at`. Returns the start of the next one, or -1 if the payload is incomplete. */
  private take(data: Buffer, at: number, lineEnd: number): number {
    const line = data.toString('latin1', at, lineEnd);
    const bodyAt = lineEnd + 2;
    if (line.startsWith('MSG ') || line.startsWith('HMSG ')) {
      const hasHeaders = line.startsWith('H');
      const parts = line.split(' ');
      const size = Number(parts.at(-1));
      const headerSize = hasHeaders ? Number(parts.at(-2)) : 0;
      const end = bodyAt + size;
      if (data.length < end + 2) return -1;
      const hasReply = parts.length === (hasHeaders ? 6 : 5);
      this.onMessage(
        Number(parts[2]),
        data.subarray(bodyAt + headerSize, end),
        hasReply ? (parts[3] ?? '') : '',
      );
      return end + 2;
    }
    if (line.startsWith('INFO ')) this.greeted(line);
    if (line === 'PING') this.write('PONG\r\n');
    if (line === 'PONG') {
      this.isReady?.();
      this.isReady = null;
    }
    if (line.startsWith('-ERR')) this.socket.destroy(new Error(line));
    return bodyAt;
  }
}
