/**
 * States: open, blocked (`#isBlocked`: the socket accepts no more), closed (`#isGone`, final). Invariants: one position
 * per subject; a position is a follower of its channel; cursors only advance. Exits: `closed`, which releases all
 * subjects.
 */

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

/** Maximum number of subjects per connection. */
const SUBJECTS_MAX = 1000;

/** Close code for a protocol violation (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008;

/** Channel of a subject, or why it is not available. */
export type FoundChannel =
  | { readonly ok: true; readonly channel: Channel }
  /** `isForbidden` is true if the client must not see the subject. */
  | { readonly ok: false; readonly reason: string; readonly isForbidden?: boolean };

/**
 * One client. Unread events stay in the rings of its subjects, where it has a position: a slow client delays no
 * others and needs little memory. Events that a ring drops before the client reads them are lost to it, and the
 * client is notified.
 */
export class Client {
  readonly #socket: Socket;
  readonly #hub: EventHub;
  readonly #channelOf: (subject: string) => FoundChannel;
  readonly #places = new Map<string, Position>();
  #isBlocked = false;
  #isGone = false;

  constructor(socket: Socket, hub: EventHub, channelOf: (subject: string) => FoundChannel) {
    this.#socket = socket;
    this.#hub = hub;
    this.#channelOf = channelOf;
    hub.counts.clients += 1;
  }

  /** Handles a message; null if it is not text. */
  received(text: string | null): void {
    const read =
      text === null
        ? ({ ok: false, code: 'bad-frame', message: 'a frame must be text' } as const)
        : readClientFrame(text);
    if (read.ok) this.#obey(read.frame);
    else this.#answer(errorFrame('', 0, read.code, read.message));
  }

  /** Continues delivery when the client has read some data. */
  drained(): void {
    if (!this.#socket.isClear) return;
    this.#isBlocked = false;
    for (const [subject, place] of this.#places) {
      place.deliver();
      if (!this.#isBlocked) continue;
      // Moves the subject to the end: when there is room again, the others come first.
      if (this.#places.delete(subject)) this.#places.set(subject, place);
      return;
    }
  }

  /** Releases all subjects after the connection is closed. */
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
          ? { ok: false, reason: `a connection can have at most ${SUBJECTS_MAX} subjects` }
          : this.#channelOf(subject);
    if (!found.ok) {
      this.#answer(ackFrame(subject, 0, seq, found.reason));
      return;
    }
    if (known !== undefined) this.#leave(known);
    const { channel } = found;
    const place = new Position(channel, sinceSeq, (each) => this.#deliver(each));
    this.#answer(ackFrame(subject, channel.ring.last, seq, ''));
    if (this.#isGone) {
      // Releases a channel that was created only for this client.
      this.#hub.removeFollower(channel);
      return;
    }
    this.#places.set(subject, place);
    channel.followers.add(place);
    this.#hub.addFollower(channel);
    place.deliver();
  }

  #leave(place: Position): void {
    place.channel.followers.delete(place);
    this.#hub.removeFollower(place.channel);
  }

  #deliver(place: Position): void {
    if (this.#isBlocked || this.#isGone || (place.isAtEnd && !place.hasLost)) return;
    this.#socket.together(() => this.#sendFrom(place));
    if (!this.#socket.isClear) this.#isBlocked = true;
  }

  #sendFrom(place: Position): void {
    const { ring } = place.channel;
    if (place.hasLost) {
      this.#hub.counts.missed += place.skipLost();
      const message = 'events were dropped; reload the data for this subject';
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

  /** Closes the connection of a client that sends requests without reading the replies. */
  #answer(text: string): void {
    if (this.#socket.send(text) === 'refused') {
      this.#socket.close(POLICY_VIOLATION, 'client does not read replies');
    }
  }
}

/** Position of a client in a subject. */
class Position implements Follower {
  readonly channel: Channel;
  /** Number of the last event that was sent or is not requested. */
  cursor: number;
  readonly #deliver: (place: Position) => void;

  /** With 0, a client gets all retained events and misses none. */
  constructor(channel: Channel, sinceSeq: number, deliver: (place: Position) => void) {
    const { ring } = channel;
    this.channel = channel;
    // A number beyond the newest event, or before the first, is from an earlier run of the service.
    this.cursor = sinceSeq === 0 ? ring.oldest - 1 : sinceSeq > ring.last ? 0 : sinceSeq;
    this.#deliver = deliver;
  }

  get isAtEnd(): boolean {
    return this.cursor >= this.channel.ring.last;
  }

  /** True if events were dropped that the client has not received. */
  get hasLost(): boolean {
    return this.cursor < this.channel.ring.oldest - 1;
  }

  /** Advances to the oldest retained event. Returns the number of skipped events of this run. */
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
