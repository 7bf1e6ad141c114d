/** Many clients of the event channel in one process: raw sockets that count frames and parse few of them. */
import { connect, type Socket } from 'node:net';
import type { ClientsCommand, ClientsNotice } from './client-protocol.ts';

const OPENED_AT_ONCE = 100;
/** Number of connections whose frames are parsed. */
const SAMPLED = 20;
const HEAD_END = '\r\n\r\n';
const TEXT = 1;
const PING = 9;
/** A pong without content, masked with zeros. */
const PONG_FRAME = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

let frames = 0;
let reads = 0;
let gaps = 0;
let latenciesMs: number[] = [];
let cpuBefore = process.cpuUsage();
const sockets: Socket[] = [];

class Client {
  readonly #isSampled: boolean;
  readonly #opened: () => void;
  readonly #subscribe: Buffer;
  readonly #socket: Socket;
  #isOpen = false;
  /** Bytes of a frame's payload that are still missing. */
  #missing = 0;
  /** An incomplete frame: all of it on a sampled connection, else its head. */
  #rest: Buffer | null = null;

  constructor(port: number, subject: string, nth: number, opened: () => void) {
    this.#isSampled = nth < SAMPLED;
    this.#opened = opened;
    this.#subscribe = Buffer.from(JSON.stringify({ type: 'subscribe', subject, seq: 1, payload: {} }));
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        // One buffer for all sockets: each read is handled before the next.
        buffer: shared,
        callback: (length) => {
          this.#read(shared.subarray(0, length));
          return true;
        },
      },
    });
    sockets.push(this.#socket);
    this.#socket.on('error', (error) => tell({ type: 'failed', reason: error.message }));
    this.#socket.on('connect', () => {
      this.#socket.write(
        'GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
    });
  }

  #read(chunk: Buffer): void {
    reads += 1;
    let bytes = chunk;
    if (!this.#isOpen) {
      const end = bytes.indexOf(HEAD_END);
      if (end < 0 || !bytes.toString('latin1', 0, 12).startsWith('HTTP/1.1 101')) {
        tell({ type: 'failed', reason: bytes.toString('latin1', 0, 500) });
        return;
      }
      this.#isOpen = true;
      this.#socket.write(
        Buffer.concat([Buffer.from([0x81, 0x80 | this.#subscribe.length, 0, 0, 0, 0]), this.#subscribe]),
      );
      bytes = bytes.subarray(end + HEAD_END.length);
    }
    if (this.#rest !== null) {
      bytes = Buffer.concat([this.#rest, bytes]);
      this.#rest = null;
    }
    let at = Math.min(this.#missing, bytes.length);
    this.#missing -= at;
    while (at < bytes.length) {
      const head = headLengthOf(bytes, at);
      if (bytes.length - at < head) break;
      const size = sizeOf(bytes, at);
      const isWhole = bytes.length - at >= head + size;
      if (!isWhole && this.#isSampled) break;
      this.#count((bytes[at] ?? 0) & 0x0f, isWhole ? bytes.subarray(at + head, at + head + size) : null);
      this.#missing = Math.max(0, at + head + size - bytes.length);
      at += head + size;
    }
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at));
  }

  #count(opcode: number, payload: Buffer | null): void {
    if (opcode === PING) this.#socket.write(PONG_FRAME);
    if (opcode !== TEXT) return;
    frames += 1;
    if (!this.#isSampled || payload === null) {
      this.#opened();
      return;
    }
    const envelope = JSON.parse(payload.toString('utf8')) as {
      type: string;
      payload: { updated_at?: string };
    };
    if (envelope.type === 'ack') this.#opened();
    if (envelope.type === 'error') gaps += 1;
    const at = envelope.payload.updated_at;
    if (envelope.type === 'push' && at !== undefined) latenciesMs.push(Date.now() - Date.parse(at));
  }
}

const headLengthOf = (bytes: Buffer, at: number): number => {
  const short = (bytes[at + 1] ?? 0) & 0x7f;
  return short === 126 ? 4 : short === 127 ? 10 : 2;
};

const sizeOf = (bytes: Buffer, at: number): number => {
  const short = (bytes[at + 1] ?? 0) & 0x7f;
  if (short === 126) return bytes.readUInt16BE(at + 2);
  return short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
};

const shared = Buffer.allocUnsafe(64 * 1024);

async function open(port: number, clients: number, subject: string): Promise<void> {
  for (let from = 0; from < clients; from += OPENED_AT_ONCE) {
    const batch = Array.from(
      { length: Math.min(OPENED_AT_ONCE, clients - from) },
      (_, nth) =>
        new Promise<void>((resolve) => {
          new Client(port, subject, from + nth, resolve);
        }),
    );
    await Promise.all(batch);
  }
  tell({ type: 'opened' });
}

function tell(notice: ClientsNotice): void {
  process.send?.(notice);
}

process.on('message', (command: ClientsCommand) => {
  switch (command.type) {
    case 'open':
      void open(command.port, command.clients, command.subject);
      return;
    case 'read': {
      const { user, system } = process.cpuUsage(cpuBefore);
      tell({ type: 'seen', seen: { frames, reads, gaps, latenciesMs, cpuSeconds: (user + system) / 1e6 } });
      cpuBefore = process.cpuUsage();
      [frames, reads, gaps, latenciesMs] = [0, 0, 0, []];
      return;
    }
    case 'stop':
      for (const socket of sockets) socket.destroy();
      process.disconnect();
  }
});
