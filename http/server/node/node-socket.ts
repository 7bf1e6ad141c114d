import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SendOutcome } from '../../ws/socket.ts';
import { SEND_QUEUE_BYTES_MAX, type EngineSocket, type EngineSocketListener } from '../engine.ts';

/** Frames that are sent together leave in writes of about this many bytes. */
const CORKED_BYTES = 64 * 1024;

/**
 * A WebSocket of ws. Frames that the client does not read wait in its stream. States: open, closing or closed (`#isGone`, final).
 */
export class NodeSocket implements EngineSocket {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  #listener: EngineSocketListener | null = null;
  #isGone = false;
  #isCorked = false;
  #corkedBytes = 0;
  /** True while frames wait for the client. */
  #isWaiting = false;
  readonly #written = (): void => {
    if (!this.#isWaiting || this.#isGone || !this.isClear) return;
    this.#isWaiting = false;
    this.#listener?.drained();
  };

  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket;
    this.#stream = stream;
  }

  /** Begins to pass frames of the client on. */
  listen(listener: EngineSocketListener): void {
    this.#listener = listener;
    if (this.#isGone) {
      listener.closed();
      return;
    }
    const heard = (act: () => void): void => {
      if (!this.#isGone) act();
    };
    this.#socket.on('message', (data, isBinary) => {
      heard(() => listener.received(isBinary || !Buffer.isBuffer(data) ? null : data.toString('utf8')));
    });
    this.#socket.on('ping', (data) => {
      heard(() => {
        // A client that does not read its pongs gets no more of them.
        if (this.#stream.writableLength <= SEND_QUEUE_BYTES_MAX) this.#socket.pong(data);
        listener.frameReceived();
      });
    });
    this.#socket.on('pong', () => heard(() => listener.frameReceived()));
  }

  get isClear(): boolean {
    return this.#isGone || this.#stream.writableLength === 0;
  }

  send(text: string): SendOutcome {
    if (this.#isGone || this.#stream.writableLength > SEND_QUEUE_BYTES_MAX) return 'refused';
    this.#socket.send(text, this.#written);
    if (this.#isCorked) {
      this.#corkedBytes += text.length;
      if (this.#corkedBytes < CORKED_BYTES) return 'sent';
      this.#uncork();
      this.#cork();
    }
    if (this.isClear) return 'sent';
    this.#isWaiting = true;
    return 'queued';
  }

  together(write: () => void): void {
    if (this.#isGone) return;
    this.#cork();
    try {
      write();
    } finally {
      this.#uncork();
    }
    if (!this.isClear) this.#isWaiting = true;
  }

  ping(): void {
    if (!this.#isGone && this.#stream.writableLength <= SEND_QUEUE_BYTES_MAX) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    if (this.#isGone) return;
    if (!this.isClear) {
      this.abandon();
      return;
    }
    this.#socket.close(code, reason);
    this.#stream.end();
    this.released();
  }

  abandon(): void {
    if (this.#isGone) return;
    this.#stream.destroy();
    this.released();
  }

  /** Must be called when the connection has ended. */
  released(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#listener?.closed();
  }

  #cork(): void {
    this.#isCorked = true;
    this.#corkedBytes = 0;
    this.#stream.cork();
  }

  #uncork(): void {
    this.#isCorked = false;
    this.#stream.uncork();
  }
}
