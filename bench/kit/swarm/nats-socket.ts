import type { Socket } from 'node:net';
import { ANONYMOUS, connectLine, type BusAccess } from '../connect-line.ts';
import { openPlain, openSecured } from './bus-socket.ts';

/**
 * Maximum number of bytes of one read. All sockets without TLS read into one buffer: each read is handled before the next.
 */
const READ_BYTES = 256 * 1024;
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

const CR = 0x0d;
const SPACE = 0x20;
const ZERO = 0x30;

/** Listener of a socket. `data` is only valid during the call: the next read overwrites it from `start` to `end`. */
export interface NatsListener {
  readonly message: (subscription: number, data: Buffer, start: number, end: number) => void;
  /** The socket is closed. An error has the reason if the close was not requested. */
  readonly closed: (error: Error | null) => void;
}

/**
 * The smallest NATS client that a swarm needs: one connection, prepared bytes out, payloads in place in. It creates
 * no object per message. Headers are skipped; it never reconnects.
 */
export class NatsSocket {
  private readonly socket: Socket;
  private readonly listener: NatsListener;
  private readonly access: BusAccess;
  private carried: Buffer | null = null;
  private onReady: (() => void) | null = null;
  private failure: Error | null = null;

  private constructor(
    open: (received: (bytes: number) => void) => Socket,
    listener: NatsListener,
    access: BusAccess,
  ) {
    this.listener = listener;
    this.access = access;
    this.socket = open((bytes) => this.received(readBuffer, bytes));
    this.socket.on('error', (error) => {
      this.failure = error;
    });
    this.socket.on('close', () => this.listener.closed(this.failure));
  }

  /** Connects to a server on this machine, and resolves once it has answered. */
  static async open(port: number, listener: NatsListener, access = ANONYMOUS): Promise<NatsSocket> {
    const secured = access.ca === null ? null : await openSecured(port, access.ca);
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const own: NatsListener = {
        message: listener.message,
        closed: (error) => {
          if (isOpen) listener.closed(error);
          else reject(error ?? new Error('the NATS server closed the connection'));
        },
      };
      const socket: NatsSocket = new NatsSocket(
        (received) => secured?.socket ?? openPlain(port, readBuffer, received),
        own,
        access,
      );
      socket.onReady = () => {
        isOpen = true;
        resolve(socket);
      };
      if (secured === null) return;
      secured.socket.on('data', (chunk: Buffer) => socket.received(chunk, chunk.length));
      socket.write(connectLine(secured.greeting, access));
    });
  }

  /** Sends protocol lines unchanged. The bytes must not change until they are answered. */
  write(lines: string | Uint8Array): void {
    if (typeof lines === 'string') this.socket.write(lines, 'latin1');
    else this.socket.write(lines);
  }

  close(): void {
    this.socket.end();
  }

  private received(data: Buffer, bytes: number): void {
    if (this.carried === null) {
      const used = this.parse(data, bytes);
      if (used < bytes) this.carried = Buffer.from(data.subarray(used, bytes));
      return;
    }
    const whole = Buffer.concat([this.carried, data.subarray(0, bytes)]);
    const used = this.parse(whole, whole.length);
    this.carried = used < whole.length ? whole.subarray(used) : null;
  }

  /** Handles every complete protocol message. Returns the number of consumed bytes. */
  private parse(data: Buffer, end: number): number {
    let at = 0;
    while (at < end) {
      let lineEnd = at;
      while (lineEnd < end && data[lineEnd] !== CR) lineEnd++;
      if (lineEnd + 1 >= end) return at;
      const bodyAt = lineEnd + 2;
      const first = data[at];
      // MSG and HMSG; of the others only PING, PONG and -ERR matter.
      if (first === 0x4d || first === 0x48) {
        const next = this.deliver(data, at, lineEnd, end);
        if (next < 0) return at;
        at = next;
        continue;
      }
      if (first === 0x50) {
        if (data[at + 1] === 0x49) this.write('PONG\r\n');
        else this.ready();
      } else if (first === 0x49) {
        // INFO; the server may send later ones, for clusters. With TLS the first one came before the encryption.
        if (this.onReady !== null && this.access.ca === null)
          this.write(connectLine(data.toString('latin1', at, lineEnd), this.access));
      } else if (first === 0x2d) {
        this.socket.destroy(new Error(data.toString('latin1', at, lineEnd)));
      }
      at = bodyAt;
    }
    return at;
  }

  private ready(): void {
    this.onReady?.();
    this.onReady = null;
  }

  /** Handles one message. Returns the start of the next one, or -1 if this one is incomplete. */
  private deliver(data: Buffer, lineAt: number, lineEnd: number, end: number): number {
    let at = lineAt;
    at = afterSpace(data, at);
    at = afterSpace(data, at);
    let subscription = 0;
    for (; data[at] !== SPACE; at++) subscription = subscription * 10 + ((data[at] ?? 0) - ZERO);
    let sizeAt = lineEnd;
    while (data[sizeAt - 1] !== SPACE) sizeAt--;
    const size = decimal(data, sizeAt, lineEnd);
    const bodyAt = lineEnd + 2;
    const bodyEnd = bodyAt + size;
    if (bodyEnd + 2 > end) return -1;
    let headers = 0;
    if (data[lineAt] === 0x48) {
      let headersAt = sizeAt - 1;
      while (data[headersAt - 1] !== SPACE) headersAt--;
      headers = decimal(data, headersAt, sizeAt - 1);
    }
    this.listener.message(subscription, data, bodyAt + headers, bodyEnd);
    return bodyEnd + 2;
  }
}

function afterSpace(data: Uint8Array, from: number): number {
  let at = from;
  while (data[at] !== SPACE) at++;
  return at + 1;
}

function decimal(data: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + ((data[at] ?? 0) - ZERO);
  return value;
}
