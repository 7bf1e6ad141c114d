import type { Effect, Delivery, ListenerId } from './effects.ts';
import { subscribeText, unsubscribeText, type ServiceFrame } from './envelope.ts';

/** Start of a subscription: after a sequence number, 0 for all retained events, or `now` for new events only. */
export type Since = number | 'now';

/** Requests all retained events, and a gap message for dropped ones. No event has a number this low. */
const BEFORE_ALL = 1;

interface Listener {
  readonly id: ListenerId;
  /** Last event that was delivered or is not requested; `now` until the service has answered with its number. */
  cursor: Since;
  /** Newest event at the start of a subscription to all retained events: every later one must be delivered. */
  floor: number | null;
  /** True after `ready` was delivered. */
  isReady: boolean;
  /** True if the service sends events after the cursor on this connection. */
  isFollowing: boolean;
}

interface Followed {
  readonly listeners: Map<ListenerId, Listener>;
  /** Number of the open request. */
  asked: number | null;
  /** Newest event known to exist; null while the subject is not subscribed on this connection. */
  last: number | null;
}

/**
 * Subscriptions by subject, and the position of each listener. Events of a subject have consecutive numbers. Each
 * listener gets each event once, in order, and a gap notice before the first event after a loss. All output goes to
 * `emit`.
 */
export class Subscriptions {
  readonly #subjects = new Map<string, Followed>();
  readonly #subjectOf = new Map<ListenerId, string>();
  readonly #emit: (effect: Effect) => void;
  #isLive = false;
  #lastRequest = 0;

  constructor(emit: (effect: Effect) => void) {
    this.#emit = emit;
  }

  add(id: ListenerId, subject: string, since: Since): void {
    const followed = this.#subjects.get(subject) ?? { listeners: new Map(), asked: null, last: null };
    const listener: Listener = { id, cursor: since, floor: null, isReady: false, isFollowing: false };
    followed.listeners.set(id, listener);
    this.#subjects.set(subject, followed);
    this.#subjectOf.set(id, subject);
    if (!this.#isLive) return;
    const { last } = followed;
    if (last !== null && (since === 'now' || since === last)) this.#begin(listener, last);
    else if (followed.asked === null || since !== 'now') this.#request(subject, followed);
  }

  remove(id: ListenerId): void {
    const subject = this.#subjectOf.get(id);
    const followed = subject === undefined ? undefined : this.#subjects.get(subject);
    if (subject === undefined || followed === undefined) return;
    this.#subjectOf.delete(id);
    followed.listeners.delete(id);
    if (followed.listeners.size > 0) return;
    this.#subjects.delete(subject);
    if (this.#isLive) this.#send(unsubscribeText(subject, this.#nextRequest()));
  }

  /** Subscribes to all subjects on a new connection, from the positions of the listeners. */
  opened(): void {
    this.#isLive = true;
    for (const [subject, followed] of this.#subjects) this.#request(subject, followed);
  }

  /** Resets the state of the lost connection. */
  lost(): void {
    this.#isLive = false;
    for (const followed of this.#subjects.values()) {
      followed.asked = null;
      followed.last = null;
      for (const listener of followed.listeners.values()) listener.isFollowing = false;
    }
  }

  receive(frame: Extract<ServiceFrame, { readonly subject: string }>): void {
    const followed = this.#subjects.get(frame.subject);
    if (followed === undefined) return;
    switch (frame.type) {
      case 'ack':
        if (frame.clientSeq === followed.asked) this.#answered(followed, frame.seq, frame.error);
        return;
      case 'push':
        this.#pushed(followed, frame.seq, frame.payload);
        return;
      case 'error':
        this.#lostUpTo(followed, frame.seq);
    }
  }

  #request(subject: string, followed: Followed): void {
    followed.asked = this.#nextRequest();
    this.#send(subscribeText(subject, sinceOf(followed.listeners.values()), followed.asked));
  }

  #answered(followed: Followed, last: number, error: string): void {
    followed.asked = null;
    followed.last = error === '' ? last : null;
    for (const listener of followed.listeners.values()) {
      if (error !== '') {
        listener.isFollowing = false;
        this.#deliver(listener, { is: 'refused', reason: error });
      } else if (!listener.isFollowing) {
        this.#begin(listener, last);
      }
    }
  }

  /** Starts delivery to a listener: retained events after its cursor, then new ones. */
  #begin(listener: Listener, last: number): void {
    const { cursor } = listener;
    listener.isFollowing = true;
    if (!listener.isReady) {
      listener.isReady = true;
      this.#deliver(listener, { is: 'ready' });
    }
    if (cursor === 'now') listener.cursor = last;
    else if (hasUpTo(listener, cursor) > last) {
      // The number is from an earlier run of the service, whose clock was ahead.
      listener.cursor = last;
      this.#deliver(listener, { is: 'gap' });
    } else if (cursor === 0) listener.floor ??= last;
  }

  #pushed(followed: Followed, seq: number, payload: object): void {
    if (followed.last !== null) followed.last = Math.max(followed.last, seq);
    for (const listener of followed.listeners.values()) {
      if (!listener.isFollowing || listener.cursor === 'now' || seq <= listener.cursor) continue;
      if (seq > hasUpTo(listener, listener.cursor) + 1) this.#deliver(listener, { is: 'gap' });
      listener.cursor = seq;
      this.#deliver(listener, { is: 'event', seq, payload });
    }
  }

  /** Advances the listeners beyond events that the service will not send. */
  #lostUpTo(followed: Followed, seq: number): void {
    if (followed.last !== null) followed.last = Math.max(followed.last, seq);
    for (const listener of followed.listeners.values()) {
      if (!listener.isFollowing || listener.cursor === 'now' || seq <= listener.cursor) continue;
      const isMissed = seq > hasUpTo(listener, listener.cursor);
      listener.cursor = seq;
      if (isMissed) this.#deliver(listener, { is: 'gap' });
    }
  }

  #deliver({ id }: Listener, delivery: Delivery): void {
    this.#emit({ do: 'deliver', listener: id, delivery });
  }

  #send(text: string): void {
    this.#emit({ do: 'send', text });
  }

  #nextRequest(): number {
    this.#lastRequest += 1;
    return this.#lastRequest;
  }
}

/**
 * Returns the number up to which a listener has everything. With cursor 0, nothing is missing before its first event.
 */
const hasUpTo = ({ floor }: Listener, cursor: number): number => (cursor === 0 ? (floor ?? 0) : cursor);

/** Returns the lowest position that serves every listener. */
function sinceOf(listeners: Iterable<Listener>): number {
  const cursors = [...listeners].flatMap(({ cursor, floor }) =>
    cursor === 'now' ? [] : [{ cursor, mayMiss: cursor !== 0 || floor !== null }],
  );
  const lowest = Math.min(...cursors.map(({ cursor }) => cursor));
  if (cursors.length === 0) return 0;
  // For 0, the service does not report events dropped earlier, but a listener needs that report.
  return lowest === 0 && cursors.some(({ mayMiss }) => mayMiss) ? BEFORE_ALL : lowest;
}
