import { Channel } from '../../../http/ws/channel.ts';
import { Client } from '../../../http/ws/client.ts';
import { EventHub } from '../../../http/ws/hub.ts';
import type { SendOutcome, Socket } from '../../../http/ws/socket.ts';
import type { Effect } from '../../../client/events/effects.ts';
import { Protocol, type Input } from '../../../client/events/protocol.ts';
import type { Since } from '../../../client/events/subscriptions.ts';

/** Frames in transit before the client counts as slow, and as too slow. */
const CLEAR_MAX = 3;
const UNDER_WAY_MAX = 6;
/** Far more than the events of one run of the service. */
const COUNTS_A_LIFE = 1_000_000;

export const SUBJECTS = ['jobs', 'jobs/a/tasks'] as const;
export type SimulatedSubject = (typeof SUBJECTS)[number];

/** Delivery to a listener, with the number of events of its subject at that moment. */
export type Delivered =
  | { readonly is: 'ready' | 'gap' | 'refused'; readonly there: number }
  /** `index` counts all events of the subject across restarts of the service. */
  | { readonly is: 'event'; readonly index: number; readonly seq: number; readonly there: number };

export interface Listening {
  readonly subject: SimulatedSubject;
  readonly since: Since;
  /** Number of events that the listener is known to have, or null. */
  readonly has: number | null;
  readonly told: Delivered[];
  isThere: boolean;
}

interface Connection {
  readonly number: number;
  readonly down: string[];
  readonly up: string[];
  isOpen: boolean;
  client: Client | null;
  isCutting: boolean;
}

/**
 * Client protocol connected to the clients, channels and rings of the real gateway. The test controls when each frame
 * arrives.
 */
export class SimulatedService {
  readonly protocol: Protocol;
  readonly listeners: Listening[] = [];
  /** Numbers of all events by subject. */
  readonly published: Readonly<Record<SimulatedSubject, number[]>> = { jobs: [], 'jobs/a/tasks': [] };
  readonly problems: string[] = [];
  #now = 1_000_000;
  #life = 0;
  #isUp = true;
  #hub: EventHub;
  readonly #channels = new Map<string, Channel>();
  readonly #depth: number;
  #connection: Connection | null = null;

  /** `depth` is the number of events that a subject retains. */
  constructor(depth: number, random: () => number) {
    this.#depth = depth;
    this.#hub = this.#newHub();
    this.protocol = new Protocol(this.#now, random);
    this.#openLasting();
    this.input({ is: 'time' });
  }

  input(input: Input): void {
    for (const effect of this.protocol.apply(input, this.#now)) this.#do(effect);
  }

  /** Advances the clock and wakes the client when it is due. */
  pass(ms: number): void {
    const until = this.#now + ms;
    for (let { wakeAt } = this.protocol; wakeAt !== null && wakeAt <= until; { wakeAt } = this.protocol) {
      this.#now = Math.max(this.#now, wakeAt);
      this.input({ is: 'time' });
    }
    this.#now = until;
  }

  subscribe(subject: SimulatedSubject, since: Since, has: number | null): void {
    this.listeners.push({ subject, since, has, told: [], isThere: true });
    this.input({ is: 'subscribe', listener: this.listeners.length - 1, subject, since });
  }

  unsubscribe(listener: number): void {
    const listening = this.listeners[listener];
    if (listening?.isThere !== true) return;
    listening.isThere = false;
    this.input({ is: 'unsubscribe', listener });
  }

  /** Publishes an event. It is lost if its subject has no channel. */
  publish(subject: SimulatedSubject): void {
    const channel = this.#channels.get(subject);
    const { length: index } = this.published[subject];
    channel?.ring.push({ index });
    this.published[subject].push(channel?.ring.last ?? 0);
  }

  /** Lets the gateway deliver to the followers. */
  pump(): void {
    for (const { followers } of this.#channels.values()) for (const each of [...followers]) each.deliver();
  }

  /** Lets a requested connection open or fail. */
  answerConnect(): void {
    const connection = this.#connection;
    if (connection === null || connection.isOpen) return;
    if (!this.#isUp) {
      this.cut();
      return;
    }
    connection.isOpen = true;
    connection.client = new Client(this.#socketOf(connection), this.#hub, (subject) => this.#find(subject));
    this.input({ is: 'opened', connection: connection.number });
  }

  /** Delivers the next frame to the client. */
  down(): void {
    const connection = this.#connection;
    const text = connection?.down.shift();
    if (connection === null) return;
    if (text !== undefined) this.input({ is: 'message', connection: connection.number, text });
    else if (connection.isCutting) this.cut();
    if (connection.down.length < CLEAR_MAX) connection.client?.drained();
  }

  /** Delivers the next frame to the service. */
  up(): void {
    const text = this.#connection?.up.shift();
    if (text !== undefined) this.#connection?.client?.received(text);
  }

  /** Cuts the connection; frames in transit are lost. */
  cut(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#forget(connection);
    this.input({ is: 'lost', connection: connection.number, reason: 'cut' });
  }

  /** Stops the service; `start` starts it again. */
  stop(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    const connection = this.#connection;
    if (connection?.isOpen === true) this.cut();
    this.#channels.clear();
  }

  /** Starts the service with numbers ahead of, or behind, those of all earlier runs. */
  start(isBehind: boolean): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#life = isBehind ? -Math.abs(this.#life) - 1 : Math.abs(this.#life) + 1;
    this.#hub = this.#newHub();
    this.#openLasting();
  }

  /** Drops a subject without followers. */
  forget(subject: SimulatedSubject): void {
    const channel = this.#channels.get(subject);
    if (subject === 'jobs' || channel === undefined || channel.followers.size > 0) return;
    this.#channels.delete(subject);
    this.#life += this.#life < 0 ? -1 : 1;
  }

  /** Delivers everything in transit until nothing is left. */
  settle(): void {
    this.start(false);
    for (let turns = 0; turns < 200; turns++) {
      if (this.protocol.phase === 'waiting') this.input({ is: 'retry' });
      this.answerConnect();
      this.pump();
      this.up();
      this.down();
    }
  }

  /** Number of frames in transit. */
  get underWay(): number {
    return (this.#connection?.down.length ?? 0) + (this.#connection?.up.length ?? 0);
  }

  #do(effect: Effect): void {
    switch (effect.do) {
      case 'open': {
        const { connection: number } = effect;
        this.#connection = { number, down: [], up: [], isOpen: false, client: null, isCutting: false };
        return;
      }
      case 'drop':
        if (this.#connection !== null) this.#forget(this.#connection);
        return;
      case 'send':
        this.#connection?.up.push(effect.text);
        return;
      case 'deliver': {
        const listening = this.listeners[effect.listener];
        if (listening === undefined) throw new Error(`no listener ${effect.listener}`);
        const { length: there } = this.published[listening.subject];
        const { delivery } = effect;
        if (delivery.is !== 'event') listening.told.push({ is: delivery.is, there });
        else {
          const { index } = delivery.payload as { readonly index: number };
          listening.told.push({ is: 'event', index, seq: delivery.seq, there });
        }
        return;
      }
      case 'problem':
        this.problems.push(effect.message);
        return;
      case 'state':
    }
  }

  #forget(connection: Connection): void {
    connection.client?.closed();
    connection.isOpen = false;
    this.#connection = null;
  }

  #socketOf(connection: Connection): Socket {
    const isClear = (): boolean => connection.down.length < CLEAR_MAX;
    return {
      get isClear() {
        return isClear();
      },
      send: (text): SendOutcome => {
        if (connection.down.length >= UNDER_WAY_MAX || connection.isCutting) return 'refused';
        connection.down.push(text);
        return isClear() ? 'sent' : 'queued';
      },
      together: (write) => write(),
      ping: () => undefined,
      close: () => {
        connection.isCutting = true;
      },
    };
  }

  #find(subject: string): ReturnType<ConstructorParameters<typeof Client>[2]> {
    const known = this.#channels.get(subject);
    if (known !== undefined) return { ok: true, channel: known };
    const isKnown = SUBJECTS.some((each) => each === subject);
    return isKnown
      ? { ok: true, channel: this.#open(subject) }
      : { ok: false, reason: `unknown subject: ${subject}` };
  }

  #open(subject: string): Channel {
    const start = 1_000 * COUNTS_A_LIFE + this.#life * COUNTS_A_LIFE;
    const channel = new Channel(subject, start, this.#depth);
    this.#channels.set(subject, channel);
    return channel;
  }

  #openLasting(): void {
    this.#open('jobs');
  }

  #newHub(): EventHub {
    return new EventHub({ replayDepth: this.#depth, now: () => this.#now, steadyNow: () => this.#now });
  }
}
