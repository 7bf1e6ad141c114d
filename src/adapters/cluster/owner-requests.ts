/**
 * States of a request: sent, sending (the owner asked for the pieces of the body), receiving (the head of the response is
 * here), settled (final). Invariants: settled once; `refused` only if the owner has certainly not carried it out. Exits: the
 * response, a refusal, silence of the owner, the loss of the connection.
 */

import type { ForwardedRequest, ForwardOutcome } from '../../core/cluster/forwarded-http.ts';
import { PiecedBody } from './body-pieces.ts';
import {
  bodyPieces,
  pairsOf,
  PIECE_BYTES,
  readAnswerFrame,
  requestFrame,
  type AnswerHead,
} from './http-frames.ts';
import type { Inbox, NodeBus } from '../nats/node-bus.ts';

/** An owner that works sends a message each second. */
const OWNER_SILENT_MS = 3000;

/** Sends a request to the subject of an owner. */
export function askOwner(
  bus: Pick<NodeBus, 'openInbox' | 'publish'>,
  subject: string,
  request: ForwardedRequest,
  silentMs = OWNER_SILENT_MS,
): Promise<ForwardOutcome> {
  return new Promise((resolve) => {
    new OwnerRequest(bus, subject, request, silentMs, resolve).begin();
  });
}

class OwnerRequest {
  readonly #bus: Pick<NodeBus, 'openInbox' | 'publish'>;
  readonly #subject: string;
  readonly #request: ForwardedRequest;
  readonly #silentMs: number;
  readonly #resolve: (outcome: ForwardOutcome) => void;
  readonly #inbox: Inbox;
  #timer: NodeJS.Timeout | undefined;
  /** False while the owner cannot have the whole request. */
  #isSent: boolean;
  #response: { readonly head: Extract<AnswerHead, { type: 'response' }>; readonly body: PiecedBody } | null =
    null;

  constructor(
    bus: Pick<NodeBus, 'openInbox' | 'publish'>,
    subject: string,
    request: ForwardedRequest,
    silentMs: number,
    resolve: (outcome: ForwardOutcome) => void,
  ) {
    this.#bus = bus;
    this.#subject = subject;
    this.#request = request;
    this.#silentMs = silentMs;
    this.#resolve = resolve;
    this.#isSent = request.body.length <= PIECE_BYTES;
    this.#inbox = bus.openInbox({
      received: (frame) => this.#received(frame),
      undelivered: () => this.#settle({ kind: 'refused', reason: 'no node owns the cluster now' }),
      interrupted: () => this.#lost('the connection to the bus was lost'),
    });
  }

  begin(): void {
    const sent = this.#bus.publish(this.#subject, requestFrame(this.#request), this.#inbox.subject);
    if (sent === 'sent') this.#expect();
    else this.#settle({ kind: 'refused', reason: `the request could not be sent to the owner (${sent})` });
  }

  #received(frame: Uint8Array): void {
    const read = readAnswerFrame(frame);
    if (typeof read === 'string') {
      this.#lost(`the owner sent an invalid answer: ${read}`);
      return;
    }
    this.#expect();
    const { head, piece } = read;
    switch (head.type) {
      case 'working':
        return;
      case 'refused':
        this.#settle({ kind: 'refused', reason: head.reason });
        return;
      case 'send':
        this.#sendBody(head.to);
        return;
      case 'response':
        this.#response = { head, body: new PiecedBody(Math.max(0, head.bytes)) };
        this.#add(piece);
        return;
      case 'piece':
        this.#add(piece);
    }
  }

  #sendBody(to: string): void {
    if (this.#isSent) return;
    // From the last piece on, the owner may carry the request out.
    this.#isSent = true;
    for (const piece of bodyPieces(this.#request.body)) {
      const sent = this.#bus.publish(to, piece);
      if (sent === 'sent') continue;
      this.#settle({ kind: 'refused', reason: `the body could not be sent to the owner (${sent})` });
      return;
    }
  }

  #add(piece: Uint8Array): void {
    const response = this.#response;
    if (response === null || !response.body.add(piece)) {
      this.#lost('the owner sent more than it announced');
      return;
    }
    const body = response.body.whole;
    if (body === null) return;
    const { status, headers, bytes } = response.head;
    this.#settle({
      kind: 'answered',
      response: { status, headers: pairsOf(headers), body: bytes < 0 ? null : body },
    });
  }

  #expect(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lost('the owner does not answer'), this.#silentMs);
  }

  #lost(reason: string): void {
    this.#settle(this.#isSent ? { kind: 'unknown' } : { kind: 'refused', reason });
  }

  #settle(outcome: ForwardOutcome): void {
    clearTimeout(this.#timer);
    this.#inbox.close();
    this.#resolve(outcome);
  }
}
