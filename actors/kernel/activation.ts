import type { AnyDefinition, Context, Kind, ActorSystem } from './actor.ts';

/** The context of an actor's turns, to which the kernel gives the time before each turn. */
export interface ActivationContext<W extends ActorSystem> extends Context<W, Kind<W>> {
  now: number;
  receivingSince: number;
}

/** An actor in memory, or one that is being loaded or created (docs/architecture.md#a-turn). */
export class Activation<W extends ActorSystem> {
  readonly definition: AnyDefinition<W>;
  readonly id: string;
  /** Unique among all actors of the process. */
  readonly key: string;
  readonly context: ActivationContext<W>;
  state: unknown = null;
  /** Set after each turn: the actor can be evicted. */
  isEvictable = false;
  /** Number of the window after which the actor is evicted; null while it is in use. */
  dropAfterWindow: number | null = null;
  /** Number of the last unit of work in which the actor had a turn. Counts from 1; 0 means no turn so far. */
  touchedIn = 0;
  /** Number of the last unit of work in which the actor was marked dirty; 0 means never. */
  markedDirtyIn = 0;
  /**
   * Numbers of the last windows with a successful turn of the actor, and with a successful turn that marked it dirty. 0
   * means no such window.
   */
  keptIn = 0;
  savedIn = 0;

  constructor(
    definition: AnyDefinition<W>,
    id: string,
    contextOf: (actor: Activation<W>) => ActivationContext<W>,
  ) {
    this.definition = definition;
    this.id = id;
    this.key = `${definition.kind}:${id}`;
    this.context = contextOf(this);
  }
}
