/**
 * States: arriving (the body can be read), open, settled (`#response` is null, final). Invariants: the engine's
 * response is not used after an abort or after its end; `settled` is called once. Exits: the response, an abort by the
 * client, `upgrade`, `abandon`.
 */

import type { Visitor } from '../guards/principal.ts';
import type { BodyRead, Header, HttpRequest, HttpResponse } from '../pipeline/message.ts';
import { headerValues } from '../pipeline/message.ts';
import { BodyBuffer } from './body-buffer.ts';
import type { EngineRequest, EngineResponse } from './engine.ts';

/**
 * Maximum number of bytes of a refused body that are read and dropped before the response. A client that still sends when
 * the connection is closed may not receive the response.
 */
const DISCARDED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * One request and its response. The only holder of the engine's response object, which in uWebSockets.js ends the process if it is
 * used after an abort or after the response (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process): `#response` is
 * null from then on.
 */
export class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly Header[];
  readonly remoteAddress: string;

  #response: EngineResponse | null;
  /** True while the engine's handler is on the stack: only then can a body be read. */
  #arriving = true;
  #ended: AbortController | null = null;
  #bodyAborted: (() => void) | null = null;
  #writable: (() => void) | null = null;
  readonly #onSettled: (exchange: Exchange) => void;
  /**
   * True if the body is chunked. uWebSockets.js does not check the line ends of the framing, so that it may find a second
   * request where a proxy in front has read a body. The connection therefore ends with the response
   * (docs/dependency-hazards.md#d13-ambiguous-request-framing).
   */
  readonly #isChunked: boolean;

  /** `settled` is called once, when the exchange no longer needs the connection. */
  constructor(request: EngineRequest, response: EngineResponse, settled: (exchange: Exchange) => void) {
    response.onAborted(() => {
      this.#settle();
    });
    this.#response = response;
    this.#onSettled = settled;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.remoteAddress = request.remoteAddress;
    this.headers = request.headers;
    this.#isChunked = headerValues(request.headers, 'transfer-encoding').length > 0;
  }

  /** Must be called when the engine's handler returns: from then on the body cannot be read. */
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

  /** Ends streams because the server stops; other responses finish. */
  stopping(): void {
    this.#ended ??= new AbortController();
    this.#ended.abort();
  }

  readBody(maxBytes: number, grow: (bytes: number) => boolean): Promise<BodyRead> {
    const response = this.#response;
    if (response === null) return Promise.resolve({ ok: false, reason: 'aborted' });
    if (!this.#arriving)
      throw new Error('a request body must be read before the handler of the request returns');
    const length = headerValues(this.headers, 'content-length')[0];
    const declared = length === undefined ? 0 : Number(length);
    let refusal: Extract<BodyRead, { readonly ok: false }>['reason'] | null =
      declared > maxBytes ? 'too-large' : null;
    if (declared > maxBytes + DISCARDED_BYTES_MAX) return Promise.resolve({ ok: false, reason: 'too-large' });
    return new Promise((resolve, reject) => {
      const body = new BodyBuffer(length === undefined ? maxBytes : Math.min(declared, maxBytes), grow);
      let discarded = 0;
      this.#bodyAborted = () => {
        resolve({ ok: false, reason: 'aborted' });
      };
      response.readBody({
        received: (piece, isLast) => {
          try {
            if (refusal === null) refusal = body.append(piece);
            else discarded += piece.byteLength;
            if (refusal === null) {
              if (isLast) resolve({ ok: true, bytes: body.bytes });
            } else if (isLast || discarded > DISCARDED_BYTES_MAX) resolve({ ok: false, reason: refusal });
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
        broken: () => {
          resolve({ ok: false, reason: refusal ?? 'malformed' });
        },
      });
    });
  }

  /** Sends the response. Resolves when all of it has been passed to the engine, or the client has disconnected. */
  async send(given: HttpResponse): Promise<void> {
    const answer = this.#isChunked ? { ...given, close: true } : given;
    // uWebSockets.js processes a second request of the same segment even if the response to the first one closes the
    // connection. While a response is outstanding, it closes the connection instead. So a closing response waits for
    // the next turn, and a request that is smuggled in after a malformed head is never processed
    // (docs/dependency-hazards.md#d13-ambiguous-request-framing).
    if (answer.close === true) await new Promise((resolve) => setImmediate(resolve));
    const { body } = answer;
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
      if (this.method === 'HEAD') this.#end((response) => response.sendHead(answer, null));
      else await this.#stream(answer, body);
    } else if (body === null || this.method === 'HEAD') {
      this.#end((response) => response.sendHead(answer, body === null ? null : Buffer.byteLength(body)));
    } else {
      this.#end((response) => response.sendWhole(answer, body));
    }
  }

  /** Turns the connection into a WebSocket of a visitor. No effect if the client has disconnected. */
  upgrade(headers: readonly Header[], visitor: Visitor): void {
    const response = this.#response;
    if (response === null) return;
    // The response is invalid when the upgrade returns.
    this.#settle();
    response.upgrade(headers, visitor);
  }

  /** Closes the connection. */
  abandon(): void {
    this.#end((response) => response.close());
  }

  async #stream(answer: HttpResponse, pieces: AsyncIterable<string>): Promise<void> {
    this.#response?.onWritable(() => {
      this.#writable?.();
    });
    let begun = false;
    for await (const piece of pieces) {
      const response = this.#response;
      if (response === null) return;
      if (piece === '') continue;
      const flowing = response.sendPiece(begun ? null : answer, piece);
      begun = true;
      // Yields to other work, however fast the pieces are produced and sent.
      if (flowing) await new Promise((resolve) => setImmediate(resolve));
      else await this.#drained();
    }
    this.#end((response) => response.endPieces(begun ? null : answer, answer.close === true));
  }

  #drained(): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writable = resolve;
    });
  }

  /** Does what ends the response. The engine's object is not used after that. */
  #end(act: (response: EngineResponse) => void): void {
    const response = this.#response;
    if (response === null) return;
    act(response);
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
