/**
 * States: open, ended (final: the connection takes no more requests). Invariants: one request at a time is being answered; the others
 * wait in the order of their arrival. Exits: a response that closes the connection, a malformed head, the end of the socket.
 */

import type { Socket } from 'node:net';

/** A client that sends more requests ahead of their responses is disconnected. */
const WAITING_MAX = 32;

/** Closes a connection whose client neither sends what is expected nor reads what it gets for this time. */
export const IDLE_MS = 10_000;

/** Time for a client to read the last response before the connection is closed. */
const LINGER_MS = 1_000;

/** The request that is being answered. */
export interface Current {
  aborted(): void;
  /** Reports that the rest of the body, if there is one, is malformed. */
  broken(): void;
}

/**
 * One connection of node:http. Node parses requests ahead of the responses to earlier ones; here they wait, so that a response that
 * closes the connection also keeps a request behind it from being processed.
 */
export class NodeConnection {
  readonly socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #isEnded = false;
  #current: Current | null = null;

  constructor(socket: Socket) {
    this.socket = socket;
    // Node removes its own listener at an upgrade.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.end();
      const current = this.#current;
      this.#current = null;
      current?.aborted();
    });
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Answers a request when those before it are answered; not if the connection ends first. */
  enqueue(start: () => void): void {
    if (this.#isEnded) return;
    if (!this.#isBusy) this.#begin(start);
    else if (this.#waiting.push(start) > WAITING_MAX) this.socket.destroy();
  }

  /** Sets the request that is being answered. */
  began(current: Current): void {
    this.#current = current;
  }

  /** Must be called when the response to the current request has been passed to the socket. */
  answered(): void {
    this.#current = null;
    this.#isBusy = false;
    this.socket.setTimeout(IDLE_MS);
    const next = this.#isEnded ? undefined : this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
  }

  /** Reports malformed bytes to the request that is being answered. */
  broken(): void {
    this.#current?.broken();
  }

  /** Takes no more requests. */
  end(): void {
    this.#isEnded = true;
    this.#waiting.length = 0;
  }

  /** Sends the last bytes, and closes the connection when the client has read them. */
  endWith(bytes: string): void {
    this.end();
    const { socket } = this;
    socket.once('end', () => socket.destroy());
    socket.setTimeout(LINGER_MS, () => socket.destroy());
    socket.end(bytes, 'latin1');
  }

  #begin(start: () => void): void {
    this.#isBusy = true;
    this.socket.setTimeout(0);
    start();
  }
}
