import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';

/** Share of messages into a cut link that arrive when the link works again, as TCP sends them again. */
const KEPT_SHARE = 0.5;
/** Share of messages that overtake earlier ones of their link. */
const OVERTAKING_SHARE = 0.02;

interface Link {
  isCut: boolean;
  lastArrivalMs: number;
  kept: (() => void)[];
}

/** The links between the machines. Messages within a machine always arrive. */
export class NetworkModel {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #links = new Map<string, Link>();
  readonly #meanMs: number;

  constructor(loop: EventLoop, random: Random, meanMs: number) {
    this.#loop = loop;
    this.#random = random;
    this.#meanMs = meanMs;
  }

  isOpen(from: number, to: number): boolean {
    return from === to || !this.#link(from, to).isCut;
  }

  cut(from: number, to: number): void {
    this.#link(from, to).isCut = true;
  }

  restore(from: number, to: number): void {
    const link = this.#link(from, to);
    link.isCut = false;
    const { kept } = link;
    link.kept = [];
    for (const run of kept) this.send(from, to, run);
  }

  /** Delivers a message later. A cut link loses it, or delivers it when it is restored. */
  send(from: number, to: number, run: () => void): void {
    const link = this.#link(from, to);
    if (from !== to && link.isCut) {
      if (this.#random.chance(KEPT_SHARE)) link.kept.push(run);
      return;
    }
    const now = this.#loop.nowMs;
    const arrivalMs = now + 0.2 + this.#random.around(this.#meanMs);
    if (this.#random.chance(OVERTAKING_SHARE)) {
      this.#loop.after(arrivalMs - now, run);
      return;
    }
    link.lastArrivalMs = Math.max(link.lastArrivalMs, arrivalMs);
    this.#loop.after(link.lastArrivalMs - now, run);
  }

  #link(from: number, to: number): Link {
    const key = `${from} ${to}`;
    let link = this.#links.get(key);
    if (link === undefined) this.#links.set(key, (link = { isCut: false, lastArrivalMs: 0, kept: [] }));
    return link;
  }
}
