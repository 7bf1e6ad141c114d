/**
 * States of a connection: silent (no request arrived on it), forgotten (final). Invariants: the engine's response of a
 * silent connection is valid; a connection of an address is forgotten when any request of the address arrives. Exits:
 * a request, the end of the connection, `stop`, the refusal after `HEAD_MS`.
 */

import type { HttpResponse as UwsResponse } from 'uWebSockets.js';
import type { HttpResponse } from '../../pipeline/message.ts';
import { HEAD_MS } from '../engine.ts';
import { addressOf } from './uws-response.ts';
import { writeHead } from './write-head.ts';

/**
 * Refuses connections whose first request head does not arrive. The engine takes a malformed head for an incomplete one
 * and waits for the rest; it closes the connection without a response after 8 to 12 seconds.
 *
 * The engine does not tell on which connection a request arrives, only its address. Its response object must not be used
 * after an upgrade of the connection. Therefore a connection is watched only until a request of its address arrives: the
 * request may be on it.
 */
export class SilentConnections {
  readonly #refusal: () => HttpResponse;
  readonly #byAddress = new Map<string, Set<NodeJS.Timeout>>();

  /** `refusal` makes the response to such a connection. */
  constructor(refusal: () => HttpResponse) {
    this.#refusal = refusal;
  }

  /** Registers a new connection. `response` is the engine's, given to its filter. */
  opened(response: UwsResponse): void {
    const address = addressOf(response);
    const timers = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, timers);
    const timer = setTimeout(() => {
      this.#forget(address, timer);
      this.#refuse(response);
    }, HEAD_MS);
    timer.unref();
    timers.add(timer);
    response.onAborted(() => this.#forget(address, timer));
  }

  /** Records that a request of the address has arrived. */
  requestArrived(address: string): void {
    const timers = this.#byAddress.get(address);
    if (timers === undefined) return;
    this.#byAddress.delete(address);
    for (const timer of timers) clearTimeout(timer);
  }

  stop(): void {
    for (const address of [...this.#byAddress.keys()]) this.requestArrived(address);
  }

  #forget(address: string, timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    const timers = this.#byAddress.get(address);
    if (timers?.delete(timer) === true && timers.size === 0) this.#byAddress.delete(address);
  }

  #refuse(response: UwsResponse): void {
    const { body, ...head } = this.#refusal();
    response.cork(() => {
      writeHead(response, head);
      response.end(typeof body === 'string' ? body : '', true);
    });
  }
}
