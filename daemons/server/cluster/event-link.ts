/**
 * Events between the nodes of a cluster.
 *
 * States of the reader: before the first message (`#number` is null), following, closed. Invariants: events are delivered in the
 * order of the owner, each after its position is applied; after a missing message or a new epoch a gap comes before the next
 * event. Exits: `close`.
 */

import type { SharedStanding } from '../../../src/adapters/cluster/standing.ts';
import {
  FRONT_PROTOCOL_VERSION,
  parseEvents,
  type EventsMessage,
} from '../../../src/core/cluster/front-messages.ts';
import type { EventBatch } from '../../../src/core/wire/event-batch.ts';

/** Characters of the events in one message; a message of the bus has at most 1 MiB by default. */
const MESSAGE_CHARACTERS = 128 * 1024;
/** Messages that wait until their position is applied. Beyond it they are dropped for a gap: the node is far behind. */
const WAITING_MAX = 10_000;
/** Time after which a node that has not applied the position looks whether it is still wanted. */
const LOOK_AGAIN_MS = 1000;

/** The owner's side: numbers and publishes events. */
export class EventWriter {
  readonly #publish: (text: string) => void;
  readonly #standing: Pick<SharedStanding, 'read'>;
  readonly #node: string;
  /** Each run of the process begins with other numbers. */
  #number = Date.now() * 1000;

  constructor(node: string, standing: Pick<SharedStanding, 'read'>, publish: (text: string) => void) {
    this.#node = node;
    this.#standing = standing;
    this.#publish = publish;
  }

  /** Publishes events of windows that are readable on this node. */
  write(batches: readonly EventBatch[]): void {
    let gathered: EventBatch[] = [];
    let characters = 0;
    for (const batch of batches) {
      if (characters + batch.payloads.length > MESSAGE_CHARACTERS && gathered.length > 0) {
        this.#send(gathered);
        gathered = [];
        characters = 0;
      }
      gathered.push(batch);
      characters += batch.payloads.length;
    }
    if (gathered.length > 0) this.#send(gathered);
  }

  /** Repeats the last number, so that the other nodes notice soon that they have lost a message. */
  beat(): void {
    this.#publish(this.#textOf([]));
  }

  #send(batches: readonly EventBatch[]): void {
    this.#number += 1;
    // A batch that no message can carry is a gap for the others, because its number is missing.
    if (batches.some(({ payloads }) => payloads.length > MESSAGE_CHARACTERS)) return;
    this.#publish(this.#textOf(batches));
  }

  #textOf(batches: readonly EventBatch[]): string {
    const { epoch, applied } = this.#standing.read();
    return JSON.stringify({
      v: FRONT_PROTOCOL_VERSION,
      epoch,
      node: this.#node,
      number: this.#number,
      position: applied,
      batches,
    } satisfies EventsMessage);
  }
}

export interface EventReceivers {
  readonly events: (batches: readonly EventBatch[]) => void;
  /** Events may be lost. */
  readonly gap: () => void;
  /** One line about a message that cannot be read. */
  readonly warned: (text: string) => void;
}

/** The side of the other nodes. */
export class EventReader {
  readonly #standing: Pick<SharedStanding, 'untilApplied'>;
  readonly #receivers: EventReceivers;
  readonly #decoder = new TextDecoder();
  #epoch = 0;
  #node = '';
  #number: number | null = null;
  #waiting: EventsMessage[] = [];
  #isDraining = false;
  #isClosed = false;

  constructor(standing: Pick<SharedStanding, 'untilApplied'>, receivers: EventReceivers) {
    this.#standing = standing;
    this.#receivers = receivers;
  }

  received(data: Uint8Array): void {
    if (this.#isClosed) return;
    const read = parseEvents(this.#decoder.decode(data));
    if (!read.ok) {
      this.#receivers.warned(`events of the owner cannot be read: ${read.reason}`);
      this.#lose();
      return;
    }
    this.#follow(read.value);
  }

  /** Ends the reader with a gap: this node owns the cluster now. Events that wait are dropped. */
  close(): void {
    this.#isClosed = true;
    this.#lose();
  }

  #follow(message: EventsMessage): void {
    const { epoch, node, number, batches } = message;
    if (epoch < this.#epoch) return;
    // An owner that begins a new epoch without another owner in between continues its numbers.
    const isSameOwner = node === this.#node && this.#number !== null;
    const expected = batches.length === 0 ? this.#number : (this.#number ?? 0) + 1;
    const isNext = isSameOwner && number === expected;
    this.#epoch = epoch;
    this.#node = node;
    this.#number = number;
    if (!isNext || this.#waiting.length >= WAITING_MAX) this.#lose();
    if (batches.length === 0) return;
    this.#waiting.push(message);
    if (!this.#isDraining) void this.#drain();
  }

  /** Drops the waiting events, too: they are part of the gap, and clients load the data again. */
  #lose(): void {
    this.#waiting = [];
    this.#receivers.gap();
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isApplied = await this.#standing.untilApplied(next.position, LOOK_AGAIN_MS);
      if (!isApplied || this.#waiting[0] !== next) continue;
      this.#waiting.shift();
      this.#receivers.events(next.batches);
    }
    this.#isDraining = false;
  }
}
