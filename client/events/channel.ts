import { serviceAddresses } from '../addresses.ts';
import type { Delivery, Effect, ListenerId } from './effects.ts';
import { Protocol, type Input } from './protocol.ts';
import { openWebSocket, type Connect, type SocketLike } from './socket.ts';
import type { EventOf, Subject } from './subjects.ts';
import type { Since } from './subscriptions.ts';

/** Clock and timers. */
export interface Clock {
  /** Milliseconds since the epoch; never decreases. */
  now(): number;
  /** Calls `call` after `ms` milliseconds. Returns a function that cancels the timer. */
  after(ms: number, call: () => void): () => void;
}

export interface EventChannelOptions {
  /**
   * Address of the channel, `/api/v1/ws`, with scheme `ws`, `wss`, `http` or `https`. See `eventsUrl`. Several addresses,
   * separated by commas, are those of the nodes of a cluster: after each loss, the next one is used.
   */
  readonly url: string;
  readonly connect?: Connect;
  readonly clock?: Clock;
  /** Returns numbers from 0 (inclusive) to 1. */
  readonly random?: () => number;
  /** Called on protocol errors: a message that the client or the service cannot parse. The channel stays open. */
  readonly onProblem?: (message: string) => void;
}

/** Callbacks for a subject. */
export interface SubjectListener<S extends Subject> {
  /** Receives the next events of the subject, in order, each once. At least one per call. */
  events(list: readonly EventOf<S>[]): void;
  /**
   * Called once, when the subscription starts. Data loaded over REST after this call is complete together with the
   * later events.
   */
  ready?(): void;
  /** Called when events were lost: reload the data of the subject. Called before the first event after the gap. */
  gap?(): void;
  /** Called when the subject is rejected. Each new connection subscribes again. */
  refused?(reason: string): void;
}

export interface SubscribeOptions {
  /**
   * Sequence number after which events are delivered; 0 for all retained events. `now`, the default, delivers only
   * new ones.
   */
  readonly sinceSeq?: Since;
}

/** State of the connection; times in milliseconds since the epoch. Each change of `kind` creates a new object. */
export type ConnectionState =
  | {
      readonly kind: 'connecting' | 'live' | 'closed';
      readonly since: number;
      /** Time of the last message before this state; null if there was none. */
      readonly lastFrameAt: number | null;
    }
  | {
      readonly kind: 'waiting';
      readonly since: number;
      readonly lastFrameAt: number | null;
      /** Time of the next attempt. */
      readonly retryAt: number;
      /** Why there is no connection. */
      readonly reason: string;
    };

interface Registered {
  readonly subject: string;
  tell(deliveries: readonly Delivery[]): void;
}

/**
 * Event channel of a service (docs/events.md). One connection serves any number of listeners and subjects. It
 * connects at once and reconnects until it is closed. Each listener of a subject has its own position, from which it
 * continues after a loss.
 *
 * Listeners are called asynchronously, never from within a call of this class, with all events since the last call.
 * Their exceptions are not caught.
 */
export class EventChannel {
  readonly #urls: readonly string[];
  /** Position of the address in use. */
  #at = 0;
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
    this.#urls = socketUrls(options.url, '');
    this.#connect = options.connect ?? openWebSocket;
    this.#clock = options.clock ?? STEADY_CLOCK;
    this.#onProblem = options.onProblem ?? (() => undefined);
    this.#protocol = new Protocol(this.#clock.now(), options.random ?? Math.random);
    this.#state = this.#currentState();
    this.#apply({ is: 'time' });
  }

  /** Current state of the connection. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** Time of the last message; null if there was none. */
  get lastFrameAt(): number | null {
    return this.#protocol.lastFrameAt;
  }

  /** Subscribes to a subject. Returns a function that unsubscribes. */
  subscribe<S extends Subject>(
    subject: S,
    listener: SubjectListener<S>,
    options: SubscribeOptions = {},
  ): () => void {
    this.#lastListener += 1;
    const id = this.#lastListener;
    this.#listeners.set(id, {
      subject,
      tell: (deliveries) => this.#notify(id, subject, listener, deliveries),
    });
    this.#apply({ is: 'subscribe', listener: id, subject, since: options.sinceSeq ?? 'now' });
    return () => {
      if (!this.#listeners.delete(id)) return;
      this.#pending.delete(id);
      this.#apply({ is: 'unsubscribe', listener: id });
    };
  }

  /** Calls `listener` after each change of the state. Returns a function that unsubscribes. */
  onState(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => {
      this.#stateListeners.delete(listener);
    };
  }

  /** Reconnects at once if the channel is waiting; otherwise sends a ping. */
  retryNow(): void {
    this.#apply({ is: 'retry' });
  }

  /** Closes the connection permanently. No listener is called afterwards. */
  close(): void {
    this.#apply({ is: 'close' });
    this.#listeners.clear();
    this.#pending.clear();
  }

  /** Performs the effects of the protocol. An effect may cause the next input. */
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
      this.#socket = this.#connect(this.#urls[this.#at] ?? '', {
        opened: () => this.#apply({ is: 'opened', connection }),
        message: (text) => this.#apply({ is: 'message', connection, text }),
        lost: (reason) => this.#lost(connection, reason),
      });
    } catch (error) {
      this.#lost(connection, String(error));
    }
  }

  #lost(connection: number, reason: string): void {
    this.#at = (this.#at + 1) % this.#urls.length;
    this.#apply({ is: 'lost', connection, reason });
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

  /** The only place that trusts the contract for the type of an event. */
  #notify<S extends Subject>(
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

/** Returns the address of the event channel of a service; of each address, if there are several. */
export const eventsUrl = (base: string): string => socketUrls(base, '/api/v1/ws').join(',');

/** @throws TypeError if there is none, or one is not a web address. */
function socketUrls(text: string, path: string): readonly string[] {
  const addresses = serviceAddresses(text);
  if (addresses.length === 0) throw new TypeError('there is no address');
  return addresses.map((address) => socketUrl(`${address}${path}`));
}

/** @throws TypeError if it is not a web address. */
function socketUrl(text: string): string {
  const url = new URL(text);
  if (!/^(http|ws)s?:$/.test(url.protocol)) throw new TypeError(`not a web address: ${text}`);
  url.protocol = url.protocol.replace('http', 'ws');
  return url.href;
}

/** Rethrows asynchronously, so that one listener's exception does not affect the others. */
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
