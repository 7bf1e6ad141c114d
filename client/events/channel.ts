import type { Delivery, Effect, ListenerId } from './effects.ts';
import { Protocol, type Input } from './protocol.ts';
import { openWebSocket, type Connect, type SocketLike } from './socket.ts';
import type { EventOf, Subject } from './subjects.ts';
import type { Since } from './subscriptions.ts';

/** The time, and timers. */
export interface Clock {
  /** Milliseconds since the epoch, of a clock that does not go back. */
  now(): number;
  /** Calls after so many milliseconds unless the timer is stopped by what it gives. */
  after(ms: number, call: () => void): () => void;
}

export interface EventChannelOptions {
  /** Address of the channel: `/api/v1/ws` of the service, by `ws`, `wss`, `http` or `https`. See `eventsUrl`. */
  readonly url: string;
  readonly connect?: Connect;
  readonly clock?: Clock;
  /** Numbers from 0 up to 1. */
  readonly random?: () => number;
  /** Told of what should not be: a message that is not understood, by the service or here. The channel goes on. */
  readonly onProblem?: (message: string) => void;
}

/** Who listens to a subject. */
export interface SubjectListener<S extends Subject> {
  /** The next events of the subject, in order, each once. At least one. */
  events(list: readonly EventOf<S>[]): void;
  /**
   * Told once, when the service has begun to send the subject: what is loaded over REST from now on is missing nothing that the
   * events do not tell.
   */
  ready?(): void;
  /** Events are lost: load what is shown of the subject anew. Told before the first event behind them. */
  gap?(): void;
  /** The subject is not to be had. Asked for again with each new connection. */
  refused?(reason: string): void;
}

export interface SubscribeOptions {
  /** The events behind this one, or all that are kept for 0; only new ones when it is left out or `now`. */
  readonly sinceSeq?: Since;
}

/** Times are milliseconds since the epoch. A new object for each change of `kind`, and the same one until then. */
export type ConnectionState =
  | {
      readonly kind: 'connecting' | 'live' | 'closed';
      readonly since: number;
      /** When the last message came, before this state; null when none had. */
      readonly lastFrameAt: number | null;
    }
  | {
      readonly kind: 'waiting';
      readonly since: number;
      readonly lastFrameAt: number | null;
      /** When the service is tried again. */
      readonly retryAt: number;
      /** Why there is no connection, in words. */
      readonly reason: string;
    };

interface Registered {
  readonly subject: string;
  tell(deliveries: readonly Delivery[]): void;
}

/**
 * The event channel of a service (docs/events.md): one connection, kept up, over which any number of listeners follow any
 * subjects. It connects at once, and again whenever it has lost the service, until it is closed. Listeners of one subject share what
 * comes; each has a place of its own in it, from which it goes on after a loss.
 *
 * Listeners are called in turns of their own, never from within a call of this class, with all that has come since the last
 * turn. What one throws is not caught.
 */
export class EventChannel {
  readonly #url: string;
  readonly #connect: Connect;
  readonly #clock: Clock;
  readonly #onProblem: (message: string) => void;
  readonly #protocol: Protocol;
  readonly #listeners = new Map<ListenerId, Registered>();
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  #pending = new Map<ListenerId, Delivery[]>();
  #socket: SocketLike | null = null;
  #state: ConnectionState;
  #lastListener = 0;
  readonly #inputs: Input[] = [];
  #isBusy = false;
  #wakeAt: number | null = null;
  #stopTimer: () => void = () => undefined;

  constructor(options: EventChannelOptions) {
    this.#url = socketUrl(options.url);
    this.#connect = options.connect ?? openWebSocket;
    this.#clock = options.clock ?? STEADY_CLOCK;
    this.#onProblem = options.onProblem ?? (() => undefined);
    this.#protocol = new Protocol(this.#clock.now(), options.random ?? Math.random);
    this.#state = this.#currentState();
    this.#apply({ is: 'time' });
  }

  /** The connection as it is. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** When the last message came; null when none has. */
  get lastFrameAt(): number | null {
    return this.#protocol.lastFrameAt;
  }

  /** Follows a subject until the function that it gives is called. */
  subscribe<S extends Subject>(
    subject: S,
    listener: SubjectListener<S>,
    options: SubscribeOptions = {},
  ): () => void {
    this.#lastListener += 1;
    const id = this.#lastListener;
    this.#listeners.set(id, { subject, tell: (deliveries) => this.#tell(id, subject, listener, deliveries) });
    this.#apply({ is: 'subscribe', listener: id, subject, since: options.sinceSeq ?? 'now' });
    return () => {
      if (!this.#listeners.delete(id)) return;
      this.#pending.delete(id);
      this.#apply({ is: 'unsubscribe', listener: id });
    };
  }

  /** Calls whenever the state has changed, until the function that it gives is called. */
  onState(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => {
      this.#stateListeners.delete(listener);
    };
  }

  /** Tries again at once when it waits; a connection that is there is asked for a sign of life. */
  retryNow(): void {
    this.#apply({ is: 'retry' });
  }

  /** Ends the connection for good; no listener is called any more. */
  close(): void {
    this.#apply({ is: 'close' });
    this.#listeners.clear();
    this.#pending.clear();
  }

  /** Does what the protocol says. An effect may be the cause of the next input. */
  #apply(input: Input): void {
    this.#inputs.push(input);
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
      for (const effect of this.#protocol.apply(next, this.#clock.now())) this.#do(effect);
    }
    this.#isBusy = false;
    this.#setTimer();
  }

  #do(effect: Effect): void {
    switch (effect.do) {
      case 'open':
        this.#open(effect.connection);
        return;
      case 'drop':
        this.#socket?.close();
        this.#socket = null;
        return;
      case 'send':
        this.#socket?.send(effect.text);
        return;
      case 'deliver':
        this.#deliver(effect.listener, effect.delivery);
        return;
      case 'state':
        this.#state = this.#currentState();
        for (const listener of [...this.#stateListeners]) guarded(() => listener(this.#state));
        return;
      case 'problem':
        guarded(() => this.#onProblem(effect.message));
    }
  }

  #open(connection: number): void {
    try {
      this.#socket = this.#connect(this.#url, {
        opened: () => this.#apply({ is: 'opened', connection }),
        message: (text) => this.#apply({ is: 'message', connection, text }),
        lost: (reason) => this.#apply({ is: 'lost', connection, reason }),
      });
    } catch (error) {
      this.#apply({ is: 'lost', connection, reason: String(error) });
    }
  }

  #setTimer(): void {
    const { wakeAt } = this.#protocol;
    if (wakeAt === this.#wakeAt) return;
    this.#wakeAt = wakeAt;
    this.#stopTimer();
    if (wakeAt === null) return;
    this.#stopTimer = this.#clock.after(Math.max(0, wakeAt - this.#clock.now()), () => {
      this.#wakeAt = null;
      this.#apply({ is: 'time' });
    });
  }

  #deliver(id: ListenerId, delivery: Delivery): void {
    if (this.#pending.size === 0) this.#clock.after(0, () => this.#flush());
    const deliveries = this.#pending.get(id);
    if (deliveries === undefined) this.#pending.set(id, [delivery]);
    else deliveries.push(delivery);
  }

  #flush(): void {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [id, deliveries] of pending) this.#listeners.get(id)?.tell(deliveries);
  }

  /** The one place where the word of the contract is taken for what an event tells. */
  #tell<S extends Subject>(
    id: ListenerId,
    subject: S,
    listener: SubjectListener<S>,
    deliveries: readonly Delivery[],
  ): void {
    const call = (what: () => void): void => {
      if (this.#listeners.has(id)) guarded(what);
    };
    let events: EventOf<S>[] = [];
    const tellEvents = (): void => {
      const list = events;
      events = [];
      if (list.length > 0) call(() => listener.events(list));
    };
    for (const delivery of deliveries) {
      if (delivery.is === 'event') {
        events.push({ subject, seq: delivery.seq, payload: delivery.payload } as EventOf<S>);
        continue;
      }
      tellEvents();
      if (delivery.is === 'ready') call(() => listener.ready?.());
      else if (delivery.is === 'gap') call(() => listener.gap?.());
      else call(() => listener.refused?.(delivery.reason));
    }
    tellEvents();
  }

  #currentState(): ConnectionState {
    const { phase, since, lastFrameAt, wakeAt, reason } = this.#protocol;
    return phase === 'waiting'
      ? { kind: phase, since, lastFrameAt, retryAt: wakeAt ?? since, reason }
      : { kind: phase, since, lastFrameAt };
  }
}

/** The address of the event channel of a service. */
export const eventsUrl = (base: string): string => socketUrl(`${base.replace(/\/+$/, '')}/api/v1/ws`);

/** @throws TypeError when it is no address of the web */
function socketUrl(text: string): string {
  const url = new URL(text);
  if (!/^(http|ws)s?:$/.test(url.protocol)) throw new TypeError(`not an address of the web: ${text}`);
  url.protocol = url.protocol.replace('http', 'ws');
  return url.href;
}

/** Whoever throws keeps nobody else from being told; the error is that of the page or process. */
function guarded(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

const STEADY_CLOCK: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
