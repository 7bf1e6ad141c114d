import {
  ackFrame,
  errorFrame,
  pongFrame,
  readClientFrame,
  type ClientFrame,
} from '../../src/core/wire/socket-messages.ts';
import type { Channel, Follower } from './channel.ts';
import type { EventHub } from './hub.ts';
import type { Socket } from './socket.ts';

/** Subjects that one connection may follow. */
const SUBJECTS_MAX = 1000;

/** Status of a connection that is closed because it breaks a rule (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008;

/** The channel of a subject, or why it is not to be had. */
export type FoundChannel =
  { readonly ok: true; readonly channel: Channel } | { readonly ok: false; readonly reason: string };

/**
 * One client. What it has not read stays in the rings of the subjects that it follows, where it has a place of its own: a
 * client that reads slowly holds up nobody, and keeps next to nothing in memory. What a ring has dropped before the client
 * came to it is lost for it, and it is told so.
 */
export class Client {
  readonly #socket: Socket;
  readonly #hub: EventHub;
  readonly #channelOf: (subject: string) => FoundChannel;
  readonly #places = new Map<string, Place>();
  #isBlocked = false;
  #isGone = false;

  constructor(socket: Socket, hub: EventHub, channelOf: (subject: string) => FoundChannel) {
    this.#socket = socket;
    this.#hub = hub;
    this.#channelOf = channelOf;
    hub.counts.clients += 1;
  }

  /** A message; null when it was not a text. */
  received(text: string | null): void {
    const read =
      text === null
        ? ({ ok: false, code: 'bad-frame', message: 'a frame must be a text' } as const)
        : readClientFrame(text);
    if (read.ok) this.#obey(read.frame);
    else this.#answer(errorFrame('', 0, read.code, read.message));
  }

  /** What waits for the client has become less. */
  drained(): void {
    if (!this.#socket.isClear) return;
    this.#isBlocked = false;
    for (const [subject, place] of this.#places) {
      place.deliver();
      if (!this.#isBlocked) continue;
      // The others come first when there is room again: one subject must not take all that the client reads.
      if (this.#places.delete(subject)) this.#places.set(subject, place);
      return;
    }
  }

  /** The connection is no more. */
  closed(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#hub.counts.clients -= 1;
    for (const place of this.#places.values()) this.#leave(place);
    this.#places.clear();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  ping(): void {
    this.#socket.ping();
  }

  #obey(frame: ClientFrame): void {
    switch (frame.type) {
      case 'ping':
        this.#answer(pongFrame(frame.seq));
        return;
      case 'unsubscribe': {
        const place = this.#places.get(frame.subject);
        if (place !== undefined) {
          this.#places.delete(frame.subject);
          this.#leave(place);
        }
        this.#answer(ackFrame(frame.subject, place?.channel.ring.last ?? 0, frame.seq, ''));
        return;
      }
      case 'subscribe':
        this.#subscribe(frame.subject, frame.sinceSeq, frame.seq);
    }
  }

  #subscribe(subject: string, sinceSeq: number, seq: number): void {
    const known = this.#places.get(subject);
    const found: FoundChannel =
      known !== undefined
        ? { ok: true, channel: known.channel }
        : this.#places.size >= SUBJECTS_MAX
          ? { ok: false, reason: `more than ${SUBJECTS_MAX} subjects on one connection` }
          : this.#channelOf(subject);
    if (!found.ok) {
      this.#answer(ackFrame(subject, 0, seq, found.reason));
      return;
    }
    if (known !== undefined) this.#leave(known);
    const { channel } = found;
    const place = new Place(channel, sinceSeq, (each) => this.#deliver(each));
    this.#answer(ackFrame(subject, channel.ring.last, seq, ''));
    if (this.#isGone) {
      // A channel that was made for it is nobody's.
      this.#hub.left(channel);
      return;
    }
    this.#places.set(subject, place);
    channel.followers.add(place);
    this.#hub.entered(channel);
    place.deliver();
  }

  #leave(place: Place): void {
    place.channel.followers.delete(place);
    this.#hub.left(place.channel);
  }

  #deliver(place: Place): void {
    if (this.#isBlocked || this.#isGone || (place.isAtEnd && !place.hasLost)) return;
    this.#socket.together(() => this.#sendFrom(place));
    if (!this.#socket.isClear) this.#isBlocked = true;
  }

  #sendFrom(place: Place): void {
    const { ring } = place.channel;
    if (place.hasLost) {
      this.#hub.counts.missed += place.skipLost();
      const message = 'events are lost: load what you show of the subject anew';
      this.#answer(errorFrame(place.channel.subject, place.cursor, 'gap', message));
    }
    while (!this.#isGone && !place.isAtEnd) {
      const outcome = this.#socket.send(ring.frameOf(place.cursor + 1));
      if (outcome !== 'refused') {
        place.cursor += 1;
        this.#hub.counts.pushed += 1;
      }
      if (outcome !== 'sent') {
        this.#isBlocked = true;
        return;
      }
    }
  }

  /** A client that asks on and reads no answers is hung up on. */
  #answer(text: string): void {
    if (this.#socket.send(text) === 'refused') {
      this.#socket.close(POLICY_VIOLATION, 'answers are not read');
    }
  }
}

/** How far a client is in a subject. */
class Place implements Follower {
  readonly channel: Channel;
  /** Number of the last event that it was sent, or does not want. */
  cursor: number;
  readonly #deliver: (place: Place) => void;

  /** A client that has no event yet gets all that are kept, and misses none. */
  constructor(channel: Channel, sinceSeq: number, deliver: (place: Place) => void) {
    const { ring } = channel;
    this.channel = channel;
    // A number that is still to come is of another life of the service, as one before the first is.
    this.cursor = sinceSeq === 0 ? ring.oldest - 1 : sinceSeq > ring.last ? 0 : sinceSeq;
    this.#deliver = deliver;
  }

  get isAtEnd(): boolean {
    return this.cursor >= this.channel.ring.last;
  }

  /** Whether the client has not had all events before the oldest that is kept. */
  get hasLost(): boolean {
    return this.cursor < this.channel.ring.oldest - 1;
  }

  /** Goes on to the oldest event that is kept. Gives how many of this life of the subject are lost in between. */
  skipLost(): number {
    const { start, oldest } = this.channel.ring;
    const from = Math.max(start, this.cursor);
    this.cursor = oldest - 1;
    return this.cursor - from;
  }

  deliver(): void {
    this.#deliver(this);
  }
}
