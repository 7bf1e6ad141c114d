import { BinaryHeap } from '../../../src/core/binary-heap.ts';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Virtual time: events in the order of their times, and in the order of their creation at equal times. */
export class EventLoop {
  readonly #events = new BinaryHeap<Event>((a, b) =>
    a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs,
  );
  #nowMs = 0;
  #order = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Number of events so far. */
  get count(): number {
    return this.#order - this.#events.size;
  }

  after(delayMs: number, run: () => void): void {
    this.#order++;
    this.#events.push({ atMs: this.#nowMs + delayMs, order: this.#order, run });
  }

  runUntil(endMs: number): void {
    for (let next = this.#events.first(); next !== undefined && next.atMs <= endMs;) {
      this.#events.takeFirst();
      this.#nowMs = next.atMs;
      next.run();
      next = this.#events.first();
    }
    this.#nowMs = endMs;
  }
}
