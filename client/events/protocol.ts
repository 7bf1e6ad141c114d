import { backoffMs } from './backoff.ts';
import type { Effect, ListenerId } from './effects.ts';
import { pingText, readFrame } from './envelope.ts';
import { Subscriptions, type Since } from './subscriptions.ts';

/** Timeout of an attempt to connect. */
const CONNECT_MS_MAX = 15_000;
/** Range of the interval between pings. */
const PING_MS_MIN = 20_000;
const PING_MS_MAX = 30_000;
/** Timeout of a pong; the connection then counts as lost. */
const ANSWER_MS_MAX = 10_000;
/** A connection that lasts this long resets the number of failures. */
const STABLE_MS = 10_000;

/** Length of the excerpt of an invalid message in a report. */
const EXCERPT_CHARACTERS = 100;

/**
 * States of the channel.
 *
 * - `connecting`: a connection is being opened; ends with `live`, or after a failure or timeout with `waiting`.
 * - `live`: the connection is open; ends with `waiting` when it is lost or a ping gets no answer.
 * - `waiting`: no connection; the next attempt starts after the backoff, or at once on `retry`.
 * - `closed`: final, reached from every state.
 *
 * Invariant: only the current connection number has effects; events of earlier connections are ignored.
 */
export type Phase = 'connecting' | 'live' | 'waiting' | 'closed';

type Trigger = 'opened' | 'lost' | 'overdue' | 'due' | 'retry' | 'close';

/** Transitions between the states; triggers that are not listed have no effect. */
export const PHASES: Readonly<Record<Phase, Readonly<Partial<Record<Trigger, Phase>>>>> = {
  connecting: { opened: 'live', lost: 'waiting', overdue: 'waiting', close: 'closed' },
  live: { lost: 'waiting', overdue: 'waiting', close: 'closed' },
  waiting: { due: 'connecting', retry: 'connecting', close: 'closed' },
  closed: {},
};

/** Inputs of the channel. `connection` is the number from `open`. */
export type Input =
  | { readonly is: 'opened'; readonly connection: number }
  /** A message; null when it was not a text. */
  | { readonly is: 'message'; readonly connection: number; readonly text: string | null }
  | { readonly is: 'lost'; readonly connection: number; readonly reason: string }
  | {
      readonly is: 'subscribe';
      readonly listener: ListenerId;
      readonly subject: string;
      readonly since: Since;
    }
  | { readonly is: 'unsubscribe'; readonly listener: ListenerId }
  /** `wakeAt` has come. */
  | { readonly is: 'time' }
  /** Somebody does not want to wait. */
  | { readonly is: 'retry' }
  | { readonly is: 'close' };

/**
 * Client side of the event channel, without socket and clock. Takes inputs with their time and returns effects.
 * `random` returns numbers from 0 (inclusive) to 1.
 */
export class Protocol {
  readonly #random: () => number;
  readonly #subscriptions: Subscriptions;
  #effects: Effect[] = [];
  #phase: Phase = 'waiting';
  #since: number;
  #connection = 0;
  #failures = 0;
  #lastFrameAt: number | null = null;
  #reason = '';
  /** Time at which the state ends or a ping is sent. */
  #wakeAt: number | null;
  #isPinged = false;
  #pings = 0;

  /** The first `time` input opens a connection. */
  constructor(now: number, random: () => number) {
    this.#random = random;
    this.#since = now;
    this.#wakeAt = now;
    this.#subscriptions = new Subscriptions((effect) => this.#effects.push(effect));
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Time at which the state was entered. */
  get since(): number {
    return this.#since;
  }

  /** Time of the last message; null if there was none. */
  get lastFrameAt(): number | null {
    return this.#lastFrameAt;
  }

  /** Why the last connection was lost or could not be opened. */
  get reason(): string {
    return this.#reason;
  }

  /** Time of the next `time` input; null for never. In `waiting`, the time of the next attempt. */
  get wakeAt(): number | null {
    return this.#wakeAt;
  }

  apply(input: Input, now: number): readonly Effect[] {
    this.#take(input, now);
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  #take(input: Input, now: number): void {
    switch (input.is) {
      case 'opened':
        if (input.connection === this.#connection) this.#trigger('opened', now);
        return;
      case 'message':
        if (input.connection === this.#connection && this.#phase === 'live') this.#receive(input.text, now);
        return;
      case 'lost':
        if (input.connection === this.#connection) this.#trigger('lost', now, input.reason);
        return;
      case 'subscribe':
        if (this.#phase === 'closed') return;
        this.#subscriptions.add(input.listener, input.subject, input.since);
        return;
      case 'unsubscribe':
        this.#subscriptions.remove(input.listener);
        return;
      case 'time':
        if (this.#wakeAt !== null && now >= this.#wakeAt) this.#awake(now);
        return;
      case 'retry':
        if (this.#phase === 'live') this.#ping(now);
        else this.#trigger('retry', now);
        return;
      case 'close':
        this.#trigger('close', now);
    }
  }

  #awake(now: number): void {
    switch (this.#phase) {
      case 'connecting':
        this.#trigger('overdue', now, 'the connection was not opened in time');
        return;
      case 'live':
        if (this.#isPinged) this.#trigger('overdue', now, 'the server did not answer a ping');
        else this.#ping(now);
        return;
      case 'waiting':
        this.#trigger('due', now);
        return;
      case 'closed':
    }
  }

  #ping(now: number): void {
    if (this.#isPinged) return;
    this.#isPinged = true;
    this.#wakeAt = now + ANSWER_MS_MAX;
    this.#pings += 1;
    this.#effects.push({ do: 'send', text: pingText(this.#pings) });
  }

  #receive(text: string | null, now: number): void {
    this.#lastFrameAt = now;
    if (this.#isPinged) this.#pingLater(now);
    const frame = text === null ? null : readFrame(text);
    if (frame === null) {
      const excerpt = text === null ? 'bytes' : text.slice(0, EXCERPT_CHARACTERS);
      this.#problem(`invalid message from the server: ${excerpt}`);
    } else if (frame.type === 'error' && frame.code !== 'gap') {
      this.#problem(`the server rejected a message: ${frame.code}: ${frame.message}`);
    } else if (frame.type !== 'pong') {
      this.#subscriptions.receive(frame);
    }
  }

  #problem(message: string): void {
    this.#effects.push({ do: 'problem', message });
  }

  #pingLater(now: number): void {
    this.#isPinged = false;
    this.#wakeAt = now + PING_MS_MIN + (PING_MS_MAX - PING_MS_MIN) * this.#random();
  }

  #trigger(trigger: Trigger, now: number, reason = ''): void {
    const before = this.#phase;
    const next = PHASES[before][trigger];
    if (next === undefined) return;
    const wasGood = before === 'live' && now - this.#since >= STABLE_MS;
    this.#phase = next;
    this.#since = now;
    this.#reason = reason;
    if (before === 'live') this.#subscriptions.lost();
    this.#enter(next, now, wasGood);
    this.#effects.push({ do: 'state' });
  }

  #enter(phase: Phase, now: number, wasGood: boolean): void {
    switch (phase) {
      case 'connecting':
        this.#connection += 1;
        this.#wakeAt = now + CONNECT_MS_MAX;
        this.#effects.push({ do: 'open', connection: this.#connection });
        return;
      case 'live':
        this.#pingLater(now);
        this.#subscriptions.opened();
        return;
      case 'waiting':
        this.#failures = wasGood ? 1 : this.#failures + 1;
        this.#wakeAt = now + backoffMs(this.#failures, this.#random);
        this.#effects.push({ do: 'drop' });
        return;
      case 'closed':
        this.#wakeAt = null;
        this.#effects.push({ do: 'drop' });
    }
  }
}
