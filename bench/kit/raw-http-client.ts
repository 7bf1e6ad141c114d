import { connect, type Socket } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly body: Buffer;
}

const CLOSED = 'the service closed the connection';

/**
 * A compact HTTP/1.1 client: one kept-alive connection, one request at a time, only replies with a content length. Used
 * where the client must not dominate the measurement; everything else uses fetch.
 */
export class RawHttpClient {
  private readonly socket: Socket;
  private pending: Buffer = Buffer.alloc(0);
  private answered: ((reply: RawReply) => void) | null = null;
  private failed: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => this.received(chunk));
    socket.on('error', (error) => this.failed?.(error));
    socket.on('close', () => this.failed?.(new Error(CLOSED)));
  }

  /** Connects to a service; `url` is its address. */
  static open(url: string): Promise<RawHttpClient> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawHttpClient(socket));
      });
    });
  }

  /** Returns a complete request as bytes, which may be sent repeatedly. */
  static request(method: string, path: string, mediaType: string, body: string): Buffer {
    const bytes = Buffer.from(body);
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${mediaType}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), bytes]);
  }

  /**
   * Sends a request of `request` and returns the reply. Rejects if the connection ends first: the service closes one
   * that is idle for some seconds.
   */
  send(request: Buffer): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      if (this.socket.closed) {
        reject(new Error(CLOSED));
        return;
      }
      this.answered = resolve;
      this.failed = reject;
      this.socket.write(request);
    });
  }

  close(): void {
    this.failed = null;
    this.socket.destroy();
  }

  private received(chunk: Buffer): void {
    const data = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    this.pending = data;
    const headEnd = data.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = data.toString('latin1', 0, headEnd);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (length === undefined) {
      this.failed?.(new Error(`a reply without a length: ${head.slice(0, 200)}`));
      return;
    }
    const end = headEnd + 4 + Number(length);
    if (data.length < end) return;
    this.pending = data.subarray(end);
    const reply = { status: Number(head.slice(9, 12)), body: data.subarray(headEnd + 4, end) };
    const { answered } = this;
    this.answered = null;
    this.failed = null;
    answered?.(reply);
  }
}
