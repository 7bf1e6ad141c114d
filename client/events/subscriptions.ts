import type { Effect, Delivery, ListenerId } from './effects.ts';
import { subscribeText, unsubscribeText, type ServiceFrame } from './envelope.ts';

/** From where on a listener wants the events of its subject: behind a number, 0 being all that are kept, or from now on. */
export type Since = number | 'now';

/** Asks for all that are kept, and to be told which were dropped before them; no event has a number so small. */
const BEFORE_ALL = 1;

interface Listener {
  readonly id: ListenerId;
  /** The last event that it has, or does not want; `now` until the service has said where that is. */
  cursor: Since;
  /** The newest event when the service began to tell it of all that were kept: nothing behind it may be missing. */
  floor: number | null;
  /** Whether it was told that it follows. */
  isReady: boolean;
  /** Whether the service has begun, on this connection, to send the events behind the cursor. */
  isFollowing: boolean;
}

interface Followed {
  readonly listeners: Map<ListenerId, Listener>;
  /** Number of the request that the service has not answered yet. */
  asked: number | null;
  /** Newest event that the service has told of; null while it does not send the subject. */
  last: number | null;
}

/**
 * Which subjects are followed by whom, and how far each listener is. The events of a subject are numbered one by one: a listener gets
 * each once, in order, and is told of a gap before it gets one behind what it has missed. Nothing happens here: what is to be done
 * goes to `emit`.
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
    else if (followed.asked === null || since !== 'now') this.#ask(subject, followed);
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

  /** A connection is there: asks for what all have not got yet. */
  opened(): void {
    this.#isLive = true;
    for (const [subject, followed] of this.#subjects) this.#ask(subject, followed);
  }

  /** The connection is gone. */
  lost(): void {
    this.#isLive = false;
    for (const followed of this.#subjects.values()) {
      followed.asked = null;
      followed.last = null;
      for (const listener of followed.listeners.values()) listener.isFollowing = false;
    }
  }

  heard(frame: Extract<ServiceFrame, { readonly subject: string }>): void {
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

  #ask(subject: string, followed: Followed): void {
    followed.asked = this.#nextRequest();
    this.#send(subscribeText(subject, sinceOf(followed.listeners.values()), followed.asked));
  }

  #answered(followed: Followed, last: number, error: string): void {
    followed.asked = null;
    followed.last = error === '' ? last : null;
    for (const listener of followed.listeners.values()) {
      if (error !== '') {
        listener.isFollowing = false;
        this.#tell(listener, { is: 'refused', reason: error });
      } else if (!listener.isFollowing) {
        this.#begin(listener, last);
      }
    }
  }

  /** The events behind `last` will come, and before them those that are kept behind the cursor. */
  #begin(listener: Listener, last: number): void {
    const { cursor } = listener;
    listener.isFollowing = true;
    if (!listener.isReady) {
      listener.isReady = true;
      this.#tell(listener, { is: 'ready' });
    }
    if (cursor === 'now') listener.cursor = last;
    else if (hasUpTo(listener, cursor) > last) {
      // A number of another life of the service, whose clock was ahead.
      listener.cursor = last;
      this.#tell(listener, { is: 'gap' });
    } else if (cursor === 0) listener.floor ??= last;
  }

  #pushed(followed: Followed, seq: number, payload: object): void {
    if (followed.last !== null) followed.last = Math.max(followed.last, seq);
    for (const listener of followed.listeners.values()) {
      if (!listener.isFollowing || listener.cursor === 'now' || seq <= listener.cursor) continue;
      if (seq > hasUpTo(listener, listener.cursor) + 1) this.#tell(listener, { is: 'gap' });
      listener.cursor = seq;
      this.#tell(listener, { is: 'event', seq, payload });
    }
  }

  /** The service says that the events up to this one, as far as they were not sent, will not come. */
  #lostUpTo(followed: Followed, seq: number): void {
    if (followed.last !== null) followed.last = Math.max(followed.last, seq);
    for (const listener of followed.listeners.values()) {
      if (!listener.isFollowing || listener.cursor === 'now' || seq <= listener.cursor) continue;
      const isMissed = seq > hasUpTo(listener, listener.cursor);
      listener.cursor = seq;
      if (isMissed) this.#tell(listener, { is: 'gap' });
    }
  }

  #tell({ id }: Listener, delivery: Delivery): void {
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

/** Up to where a listener misses nothing. One that wants all that are kept misses nothing before the first that it gets. */
const hasUpTo = ({ floor }: Listener, cursor: number): number => (cursor === 0 ? (floor ?? 0) : cursor);

/** The place from which every listener gets what it wants. */
function sinceOf(listeners: Iterable<Listener>): number {
  const cursors = [...listeners].flatMap(({ cursor, floor }) =>
    cursor === 'now' ? [] : [{ cursor, mayMiss: cursor !== 0 || floor !== null }],
  );
  const lowest = Math.min(...cursors.map(({ cursor }) => cursor));
  if (cursors.length === 0) return 0;
  // Of all that are kept, the service does not say what is missing before them: somebody wants to know.
  return lowest === 0 && cursors.some(({ mayMiss }) => mayMiss) ? BEFORE_ALL : lowest;
}
