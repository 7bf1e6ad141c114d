import type { NatsConnection } from '@nats-io/transport-node';

const decoder = new TextDecoder();

/** How far the log is, as its owner announces it: a hint that a read is worthwhile. */
export class TailWatch {
  readonly #subject: string;
  #position = 0;
  #waiting: { readonly from: number; readonly wake: () => void } | null = null;

  constructor(subject: string) {
    this.#subject = subject;
  }

  sessionStarted(nc: Pick<NatsConnection, 'subscribe'>): void {
    nc.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error === null) this.#announced(Number(decoder.decode(message.data)));
      },
    });
  }

  /**
   * Resolves when a record at the position was announced, after a time, or at the end: with whether it was announced. One wait
   * at a time.
   */
  reached(from: number, timeoutMs: number): Promise<boolean> {
    if (this.#position >= from) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end(), timeoutMs);
      this.#waiting = {
        from,
        wake: () => {
          clearTimeout(timer);
          resolve(this.#position >= from);
        },
      };
    });
  }

  /** The leader of the log says how far it is. */
  learned(position: number): void {
    this.#position = position;
  }

  /** Ends the wait. */
  end(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.wake();
  }

  #announced(position: number): void {
    // Anyone with access to the bus can announce nonsense: it costs one read, until `learned`.
    if (!Number.isSafeInteger(position) || position <= this.#position) return;
    this.#position = position;
    if (this.#waiting !== null && this.#waiting.from <= position) this.end();
  }
}
