import type {
  HttpRequest as EngineRequest,
  HttpResponse as EngineResponse,
  us_socket_context_t,
} from 'uWebSockets.js';
import type { BodyRead, Header, HttpRequest, HttpResponse } from '../pipeline/message.ts';
import { headerValues } from '../pipeline/message.ts';
import { statusLine } from './status-line.ts';

const SWITCHING_PROTOCOLS = 101;

/**
 * One request and its answer. The only holder of the engine's response object, which kills the process when it is
 * touched after an abort or after the answer (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process):
 * `#response` is null from then on.
 */
export class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly Header[];
  readonly remoteAddress: string;

  #response: EngineResponse | null;
  /** Whether the engine's handler is still on the stack: only then can a body be read. */
  #arriving = true;
  #ended: AbortController | null = null;
  #bodyAborted: (() => void) | null = null;
  #writable: (() => void) | null = null;
  readonly #onSettled: (exchange: Exchange) => void;

  /** `settled` is called once, when the exchange needs the connection no longer. */
  constructor(response: EngineResponse, request: EngineRequest, settled: (exchange: Exchange) => void) {
    response.onAborted(() => {
      this.#settle();
    });
    this.#response = response;
    this.#onSettled = settled;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.remoteAddress = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
    const headers: Header[] = [];
    request.forEach((name, value) => {
      headers.push([name, value]);
    });
    this.headers = headers;
  }

  /** To be called when the engine's handler returns: what it lent is not valid any more. */
  arrived(): void {
    this.#arriving = false;
  }

  get isOpen(): boolean {
    return this.#response !== null;
  }

  ended(): AbortSignal {
    this.#ended ??= new AbortController();
    if (!this.isOpen) this.#ended.abort();
    return this.#ended.signal;
  }

  /** The server stops: endless answers end, others go on. */
  stopping(): void {
    this.#ended ??= new AbortController();
    this.#ended.abort();
  }

  readBody(limitBytes: number): Promise<BodyRead> {
    const response = this.#response;
    if (response === null) return Promise.resolve({ ok: false, reason: 'aborted' });
    if (!this.#arriving)
      throw new Error('a request body must be read before the handler of the request returns');
    const declared = Number(headerValues(this.headers, 'content-length')[0] ?? 0);
    if (declared > limitBytes) return Promise.resolve({ ok: false, reason: 'too-large' });
    return new Promise((resolve, reject) => {
      let chunks: Uint8Array[] = [];
      let received = 0;
      this.#bodyAborted = () => {
        resolve({ ok: false, reason: 'aborted' });
      };
      response.onData((chunk, isLast) => {
        try {
          received += chunk.byteLength;
          if (received > limitBytes) {
            chunks = [];
            resolve({ ok: false, reason: 'too-large' });
            return;
          }
          // The engine takes its memory back when this returns.
          chunks.push(new Uint8Array(chunk.slice(0)));
          if (isLast)
            resolve({
              ok: true,
              bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
            });
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** Sends the answer; resolves when all of it has been given to the engine, or the client is gone. */
  async send(answer: HttpResponse): Promise<void> {
    // The engine goes on to a second request of the same segment even when the answer to the first closes the
    // connection. While an answer is outstanding it hangs up instead: so such an answer waits for the next turn, and
    // what a malformed head smuggles in is never run (docs/dependency-hazards.md#d13-ambiguous-request-framing).
    if (answer.close === true) await new Promise((resolve) => setImmediate(resolve));
    const { body } = answer;
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
      if (this.method === 'HEAD') this.#sendHead(answer, null);
      else await this.#stream(answer, body);
      return;
    }
    if (this.method === 'HEAD') {
      this.#sendHead(answer, body === null ? null : Buffer.byteLength(body));
    } else {
      this.#sendWhole(answer, body);
    }
  }

  /**
   * Makes the connection a WebSocket; `key` is the client's, `kept` what the engine keeps with the connection. Does nothing
   * when the client is gone.
   */
  upgrade<Kept>(headers: readonly Header[], kept: Kept, key: string, context: us_socket_context_t): void {
    const response = this.#response;
    if (response === null) return;
    // The response is no more when the upgrade returns.
    this.#settle();
    response.cork(() => {
      response.writeStatus(statusLine(SWITCHING_PROTOCOLS));
      for (const [name, value] of headers) response.writeHeader(name, value);
      // No subprotocol and no extension.
      response.upgrade(kept, key, '', '', context);
    });
  }

  /** Hangs up. */
  abandon(): void {
    const response = this.#response;
    if (response === null) return;
    response.close();
    this.#settle();
  }

  #sendWhole(answer: HttpResponse, body: string | Uint8Array | null): void {
    if (body === null) {
      this.#sendHead(answer, null);
      return;
    }
    this.#finish((response) => {
      writeHead(response, answer);
      response.end(body, answer.close === true);
    });
  }

  #sendHead(answer: HttpResponse, length: number | null): void {
    this.#finish((response) => {
      writeHead(response, answer);
      // Both as headers: given a length, the engine would wait for that many bytes.
      if (length !== null) response.writeHeader('Content-Length', String(length));
      if (answer.close === true) response.writeHeader('Connection', 'close');
      response.endWithoutBody();
    });
  }

  async #stream(answer: HttpResponse, pieces: AsyncIterable<string>): Promise<void> {
    this.#response?.onWritable(() => {
      this.#writable?.();
      return true;
    });
    let begun = false;
    for await (const piece of pieces) {
      const response = this.#response;
      if (response === null) return;
      if (piece === '') continue;
      let flowing = true;
      response.cork(() => {
        if (!begun) writeHead(response, answer);
        flowing = response.write(piece);
      });
      begun = true;
      // Others have their turn, however fast the pieces come and go.
      if (flowing) await new Promise((resolve) => setImmediate(resolve));
      else await this.#drained();
    }
    this.#finish((response) => {
      if (!begun) writeHead(response, answer);
      response.end(undefined, answer.close === true);
    });
  }

  #drained(): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writable = resolve;
    });
  }

  #finish(write: (response: EngineResponse) => void): void {
    const response = this.#response;
    if (response === null) return;
    response.cork(() => {
      write(response);
    });
    this.#settle();
  }

  #settle(): void {
    if (this.#response === null) return;
    this.#response = null;
    this.#ended?.abort();
    this.#bodyAborted?.();
    this.#writable?.();
    this.#onSettled(this);
  }
}

function writeHead(response: EngineResponse, answer: HttpResponse): void {
  response.writeStatus(statusLine(answer.status));
  for (const [name, value] of answer.headers) response.writeHeader(name, value);
}
