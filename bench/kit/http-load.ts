/**
 * A compact HTTP client in a separate process: kept-alive connections with one outstanding request each. Arguments:
 * port, connections, seconds, and a header of every request (empty: none). Reads a path per line from standard input; `{n}` in it becomes a different number each
 * time. Prints requests and bytes as JSON.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const [port = 0, connections = 1, seconds = 1] = process.argv.slice(2, 5).map(Number);
const header = process.argv[5] ?? '';
const headerLine = header === '' ? '' : `${header}\r\n`;
const requests: ((nth: number) => Buffer | string)[] = [];
for await (const path of createInterface({ input: process.stdin })) {
  const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headerLine}\r\n`;
  const bytes = Buffer.from(text);
  requests.push(path.includes('{n}') ? (nth) => text.replace('{n}', String(nth)) : () => bytes);
}

const LENGTH = 'content-length: ';
const HEAD_END = '\r\n\r\n';
let next = 0;
let answered = 0;
let bytes = 0;
let isOver = false;
const failed = new Map<string, number>();

/** One connection. It sends the next request when the answer is complete. */
class Line {
  readonly #socket: Socket;
  /** Bytes of the answer's body that are still missing; -1 until its head is complete. */
  #missing = -1;

  constructor() {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (length, buffer) => {
          this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    this.#socket.setNoDelay(true);
    this.#socket.on('connect', () => this.#ask());
    this.#socket.on('error', (error) => {
      throw error;
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #ask(): void {
    const nth = next++;
    const request = requests[nth % requests.length];
    if (request !== undefined && !isOver) this.#socket.write(request(nth));
  }

  #read(chunk: Buffer): void {
    bytes += chunk.length;
    if (this.#missing < 0) {
      const text = chunk.toString('latin1', 0, 2048);
      const end = text.indexOf(HEAD_END);
      const at = text.toLowerCase().indexOf(LENGTH);
      if (end < 0 || at < 0) throw new Error(`an answer that is not understood: ${text}`);
      if (!text.startsWith('HTTP/1.1 200 ')) {
        const status = text.slice(9, 12);
        failed.set(status, (failed.get(status) ?? 0) + 1);
      }
      this.#missing = Number.parseInt(text.slice(at + LENGTH.length), 10) + end + HEAD_END.length;
    }
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    this.#missing = -1;
    answered += 1;
    this.#ask();
  }
}

const lines = Array.from({ length: connections }, () => new Line());
setTimeout(() => {
  isOver = true;
  process.stdout.write(`${JSON.stringify({ answered, bytes, failed: Object.fromEntries(failed) })}\n`);
  for (const line of lines) line.end();
}, seconds * 1000);
