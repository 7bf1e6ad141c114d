import type { ActorSystem } from './actor.ts';
import type { ReplyTo } from './address.ts';

/** An output that leaves the process once the changes before it are on disk. */
export type Output<W extends ActorSystem> =
  /** The context has checked the answer against the address; the type of the pair is erased here. */
  | { readonly kind: 'reply'; readonly to: ReplyTo<never>; readonly answer: unknown }
  | { readonly kind: 'effect'; readonly effect: W['effect'] };
