/**
 * States of a request: receiving its body, working, answered (final). Invariants: one answer; at most
 * `RECEIVING_BYTES_MAX` bytes of unfinished bodies. Exits: the answer, or a body that stops arriving.
 */

import type { ForwardedRequest, ForwardedResponse } from '../../core/cluster/forwarded-http.ts';
import { PiecedBody } from './body-pieces.ts';
import {
  encodeFrame,
  pairsOf,
  readRequestFrame,
  responseFrames,
  type AnswerHead,
  type RequestHead,
} from './http-frames.ts';
import type { NodeBus } from '../nats/node-bus.ts';

const WORKING_MS = 1000;
/** Time without a piece of a body after which its request is dropped. */
const BODY_SILENT_MS = 5000;
/** Bodies that have not arrived completely. The others count for the limits of the client. */
const RECEIVING_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Handles a forwarded request. Returns null if this node does not own the cluster now: the request has no effect.
 */
export type ForwardedHandler = (request: ForwardedRequest) => Promise<ForwardedResponse> | null;

/** The owner's side of forwarded requests. */
export class OwnerService {
  readonly #bus: Pick<NodeBus, 'listen' | 'publish' | 'openInbox'>;
  readonly #handle: ForwardedHandler;
  readonly #failed: (error: unknown) => void;
  #receivingBytes = 0;

  /** `failed` receives the errors of the handler. */
  constructor(
    bus: Pick<NodeBus, 'listen' | 'publish' | 'openInbox'>,
    handle: ForwardedHandler,
    failed: (error: unknown) => void,
  ) {
    this.#bus = bus;
    this.#handle = handle;
    this.#failed = failed;
  }

  /** Receives the requests of a subject. Returns the function that ends it. */
  listen(subject: string): () => void {
    return this.#bus.listen(subject, ({ data, replyTo }) => this.#received(data, replyTo));
  }

  #received(frame: Uint8Array, replyTo: string): void {
    const read = readRequestFrame(frame);
    if (typeof read === 'string') {
      this.#answer(replyTo, { type: 'refused', reason: `the owner cannot read the request: ${read}` });
      return;
    }
    const { head, piece } = read;
    // The memory of the message is used again after this call.
    if (piece.length === head.bytes) void this.#work(head, piece.slice(), replyTo);
    else this.#receiveBody(head, replyTo);
  }

  #receiveBody(head: RequestHead, replyTo: string): void {
    if (this.#receivingBytes + head.bytes > RECEIVING_BYTES_MAX) {
      this.#answer(replyTo, { type: 'refused', reason: 'the owner receives too many large requests' });
      return;
    }
    this.#receivingBytes += head.bytes;
    const body = new PiecedBody(head.bytes);
    const end = (): void => {
      clearTimeout(timer);
      inbox.close();
      this.#receivingBytes -= head.bytes;
    };
    const timer = setTimeout(end, BODY_SILENT_MS);
    const inbox = this.#bus.openInbox({
      received: (piece) => {
        timer.refresh();
        const isExpected = body.add(piece);
        const { whole } = body;
        if (isExpected && whole === null) return;
        end();
        if (isExpected && whole !== null) void this.#work(head, whole, replyTo);
      },
      undelivered: end,
      interrupted: end,
    });
    this.#answer(replyTo, { type: 'send', to: inbox.subject });
  }

  async #work(head: RequestHead, body: Uint8Array, replyTo: string): Promise<void> {
    const working = setInterval(() => this.#answer(replyTo, { type: 'working' }), WORKING_MS);
    // The process may end while a handler waits.
    working.unref();
    try {
      const { method, path, query, remoteAddress } = head;
      const request = { method, path, query, remoteAddress, headers: pairsOf(head.headers), body };
      const handled = this.#handle(request);
      if (handled === null) {
        this.#answer(replyTo, { type: 'refused', reason: 'this node does not own the cluster now' });
        return;
      }
      const response = await handled;
      for (const message of responseFrames(response)) this.#bus.publish(replyTo, message);
    } catch (error) {
      // Without an answer the sender does not know whether the request was carried out, which is true.
      this.#failed(error);
    } finally {
      clearInterval(working);
    }
  }

  #answer(replyTo: string, head: AnswerHead): void {
    this.#bus.publish(replyTo, encodeFrame(head));
  }
}
