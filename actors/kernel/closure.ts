import type { Kind, World } from './actor.ts';
import type { Envelope, ReplyTo } from './address.ts';

/** Something that leaves the process once the changes before it are on disk. */
export type Output<W extends World> =
  | { readonly kind: 'reply'; readonly to: ReplyTo; readonly answer: unknown }
  | { readonly kind: 'effect'; readonly effect: W['effect'] };

export type TimerOrder<W extends World> =
  | {
      readonly op: 'set';
      readonly actorKey: string;
      readonly name: string;
      readonly delayMs: number;
      readonly envelope: Envelope<W['messages']>;
    }
  | { readonly op: 'cancel'; readonly actorKey: string; readonly name: string };

/**
 * One message from outside and everything that actors of this process say to each other because of it: all of it is
 * kept, or, when a handler throws, none of it.
 */
export class Closure<W extends World> {
  readonly pending: Envelope<W['messages']>[] = [];
  readonly changes: W['change'][] = [];
  readonly outputs: Output<W>[] = [];
  readonly timers: TimerOrder<W>[] = [];
  readonly touched = new Set<string>();
  /** Actors that were needed no longer after their last turn. */
  readonly over = new Set<string>();
}

export const actorKey = <W extends World>(kind: Kind<W>, id: string): string => `${kind}:${id}`;
