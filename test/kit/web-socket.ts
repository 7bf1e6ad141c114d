import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Suffix that RFC 6455 adds to the key before hashing. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** An envelope of the event channel. */
export interface Envelope {
  readonly type: string;
  readonly subject: string;
  readonly seq: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The end of a connection. The code is 1006 if there was no close frame. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

/** Builds the head of an upgrade request. Headers with an empty value are omitted. */
export function upgradeHead(
  path = '/api/v1/ws',
  headers: Readonly<Record<string, string>> = {},
  key = randomBytes(16).toString('base64'),
): string {
  const all = {
    Host: 'localhost',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': key,
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === '' ? [] : [`${name}: ${value}\r\n`],
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Returns the head and body of the response to a rejected upgrade. */
export function refusedUpgrade(port: number, request: string): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after: ${text}`)));
    socket.on('data', (data) => {
      text += String(data);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const length = Number(/content-length: ([0-9]+)/i.exec(head)?.[1] ?? Infinity);
      if (body.length < length) return;
      resolve({ head, body });
      socket.destroy();
    });
  });
}

/** A client of the event channel on a raw socket (RFC 6455). It can also stop reading or ignore pings. */
export class WebSocketClient {
  /** Head of the response. */
  readonly head: string;
  readonly received: Envelope[] = [];
  pings = 0;
  answersPings = true;
  readonly closed: Promise<Closing>;
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;
  #closing: Closing | null = null;
  readonly #waiting: (() => void)[] = [];

  private constructor(socket: Socket, head: string, rest: Buffer) {
    this.#socket = socket;
    this.head = head;
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#closing ??= { code: 1006, reason: '' };
        resolve(this.#closing);
        this.#wake();
      });
    });
    socket.on('data', (bytes) => this.#read(bytes));
    this.#read(rest);
  }

  /** Opens the connection. Rejects with the head of the response if the upgrade is refused. */
  static open(port: number, headers: Readonly<Record<string, string>> = {}): Promise<WebSocketClient> {
    const key = randomBytes(16).toString('base64');
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(upgradeHead(undefined, headers, key)));
      let bytes = Buffer.alloc(0);
      const read = (chunk: Buffer): void => {
        bytes = Buffer.concat([bytes, chunk]);
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) return;
        socket.off('data', read);
        const head = bytes.subarray(0, end).toString('latin1');
        const accept = createHash('sha1')
          .update(key + KEY_SUFFIX)
          .digest('base64');
        if (head.startsWith('HTTP/1.1 101 ') && head.includes(accept)) {
          resolve(new WebSocketClient(socket, head, bytes.subarray(end + 4)));
        } else {
          socket.destroy();
          reject(new Error(head));
        }
      };
      socket.on('data', read);
      socket.on('error', reject);
    });
  }

  send(envelope: object | string): void {
    const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
    this.#write(TEXT, Buffer.from(text));
  }

  sendBinary(bytes: Buffer): void {
    this.#write(BINARY, bytes);
  }

  subscribe(subject: string, sinceSeq?: number, seq = 1): void {
    this.send({
      type: 'subscribe',
      subject,
      seq,
      payload: sinceSeq === undefined ? {} : { since_seq: sinceSeq },
    });
  }

  ping(): void {
    this.#write(PING, Buffer.alloc(0));
  }

  /** Stops reading from the connection until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends a close frame. */
  close(): void {
    this.#write(CLOSE, Buffer.from([0x03, 0xe8]));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Returns the next unread envelope. Throws if the connection ends first. */
  async next(): Promise<Envelope> {
    for (;;) {
      const envelope = this.received[this.#taken];
      if (envelope !== undefined) {
        this.#taken += 1;
        return envelope;
      }
      if (this.#closing !== null)
        throw new Error(`closed with ${this.#closing.code} ${this.#closing.reason}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Returns the next `count` envelopes. */
  async take(count: number): Promise<Envelope[]> {
    const taken: Envelope[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  /** Returns the next envelope of a type that satisfies the condition, and discards others. */
  async nextWhere(fits: (envelope: Envelope) => boolean): Promise<Envelope> {
    for (;;) {
      const envelope = await this.next();
      if (fits(envelope)) return envelope;
    }
  }

  #write(opcode: number, payload: Buffer): void {
    const mask = randomBytes(4);
    const long = payload.length > 125;
    const head = Buffer.alloc(long ? (payload.length > 65_535 ? 10 : 4) : 2);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (long ? (payload.length > 65_535 ? 127 : 126) : payload.length);
    if (head.length === 4) head.writeUInt16BE(payload.length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
    const masked = Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
    this.#socket.write(Buffer.concat([head, mask, masked]));
  }

  #read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const { length } = this.#rest;
      if (length < 2) return;
      const opcode = (this.#rest[0] ?? 0) & 0x0f;
      const short = (this.#rest[1] ?? 0) & 0x7f;
      const headLength = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (length < headLength) return;
      const size =
        short === 127
          ? Number(this.#rest.readBigUInt64BE(2))
          : short === 126
            ? this.#rest.readUInt16BE(2)
            : short;
      if (length < headLength + size) return;
      const payload = this.#rest.subarray(headLength, headLength + size);
      this.#rest = this.#rest.subarray(headLength + size);
      this.#take(opcode, payload);
    }
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === TEXT) this.received.push(JSON.parse(payload.toString('utf8')) as Envelope);
    if (opcode === PING) {
      this.pings += 1;
      if (this.answersPings) this.#write(PONG, payload);
    }
    if (opcode === CLOSE) {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      this.#closing ??= { code, reason: payload.subarray(2).toString('utf8') };
      this.#socket.end();
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
