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

/** What the closures of one commit window have left to be written and said. */
export interface WindowBuffer<W extends ActorSystem> {
  readonly changes: W['change'][];
  readonly outputs: Output<W>[];
}

/**
 * One message from outside and everything that actors of this process say to each other because of it: all of it is
 * kept, or, when a handler throws, none of it. What is to be written and said goes straight into the window, of which
 * the closure knows how long it was before: to forget is to cut it there. One object serves all closures of a kernel,
 * one after the other.
 */
export class UnitOfWork<W extends ActorSystem> {
  readonly pending: Envelope<W['messages']>[] = [];
  readonly timers: TimerOrder<W>[] = [];
  /** Actors that had a turn, each once. */
  readonly touched: Activation<W>[] = [];
  /** Those of them that asked to be saved. */
  readonly dirty: Activation<W>[] = [];
  changes: W['change'][] = [];
  outputs: Output<W>[] = [];
  private number = 0;
  private changesBefore = 0;
  private outputsBefore = 0;

  begin({ changes, outputs }: WindowBuffer<W>): void {
    this.number++;
    empty(this.pending);
    empty(this.timers);
    empty(this.touched);
    empty(this.dirty);
    this.changes = changes;
    this.outputs = outputs;
    this.changesBefore = changes.length;
    this.outputsBefore = outputs.length;
  }

  /** Nothing of it is written or said. */
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
    if (actor.toSaveIn === this.number) return;
    actor.toSaveIn = this.number;
    this.dirty.push(actor);
  }
}

/** The lists are short, and keep their room: to set `length` is a call of the runtime, and gives the room back. */
function empty(list: unknown[]): void {
  while (list.length > 0) list.pop();
}
