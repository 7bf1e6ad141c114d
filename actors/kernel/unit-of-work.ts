/**
 * One unit at a time, from `begin` to the next `begin`. Invariants: `touched` and `dirty` have each actor once; the
 * changes and outputs of the unit are those after `changesBefore` and `outputsBefore`. Exits: kept with its window, or
 * `rollback`.
 */

import type { ActorSystem } from './actor.ts';
import type { Envelope } from './address.ts';
import type { Activation } from './activation.ts';
import type { Output } from './output.ts';

export type TimerOrder<W extends ActorSystem> =
  | {
      readonly op: 'set';
      readonly owner: Activation<W>;
      readonly name: string;
      readonly delayMs: number;
      readonly envelope: Envelope<W['messages']>;
    }
  | { readonly op: 'cancel'; readonly owner: Activation<W>; readonly name: string };

/** The changes and outputs of one commit window. */
export interface WindowBuffer<W extends ActorSystem> {
  readonly changes: W['change'][];
  readonly outputs: Output<W>[];
}

/**
 * One message from outside and all messages that actors of this process send each other because of it. All of its
 * effects are kept, or, when a handler throws, none. Changes and outputs go directly into the window; a rollback
 * truncates the window to its length at `begin`. One object serves all units of a kernel, one after the other.
 */
export class UnitOfWork<W extends ActorSystem> {
  readonly pending: Envelope<W['messages']>[] = [];
  readonly timers: TimerOrder<W>[] = [];
  /** Actors that had a turn, each once. */
  readonly touched: Activation<W>[] = [];
  /** Actors of these that were marked dirty. */
  readonly dirty: Activation<W>[] = [];
  changes: W['change'][] = [];
  outputs: Output<W>[] = [];
  private number = 0;
  private changesBefore = 0;
  private outputsBefore = 0;

  begin({ changes, outputs }: WindowBuffer<W>): void {
    this.number++;
    clear(this.pending);
    clear(this.timers);
    clear(this.touched);
    clear(this.dirty);
    this.changes = changes;
    this.outputs = outputs;
    this.changesBefore = changes.length;
    this.outputsBefore = outputs.length;
  }

  /** Removes the changes and outputs of this unit from the window. */
  rollback(): void {
    this.changes.length = this.changesBefore;
    this.outputs.length = this.outputsBefore;
  }

  touch(actor: Activation<W>): void {
    if (actor.touchedIn === this.number) return;
    actor.touchedIn = this.number;
    this.touched.push(actor);
  }

  markDirty(actor: Activation<W>): void {
    if (actor.markedDirtyIn === this.number) return;
    actor.markedDirtyIn = this.number;
    this.dirty.push(actor);
  }
}

/** Keeps the capacity of the list. Setting `length` would be a runtime call and would free the capacity. */
function clear(list: unknown[]): void {
  while (list.length > 0) list.pop();
}
