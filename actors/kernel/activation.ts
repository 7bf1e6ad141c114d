import type { AnyDefinition, Context, Kind, ActorSystem } from './actor.ts';

/** The context of an actor's turns, to which the kernel gives the time before each turn. */
export interface ActivationContext<W extends ActorSystem> extends Context<W, Kind<W>> {
  now: number;
  receivingSince: number;
}

/** An actor in memory, or one that is being looked for or made. */
export class Activation<W extends ActorSystem> {
  readonly definition: AnyDefinition<W>;
  readonly id: string;
  /** Names it among all actors of the process. */
  readonly key: string;
  readonly context: ActivationContext<W>;
  state: unknown = null;
  /** Whether it was needed no longer after its last turn. */
  isOver = false;
  /** The window after whose commit it is dropped; 0 while it is needed. */
  dropAfterWindow = 0;
  /** The last closure in which it had a turn. */
  touchedIn = 0;
  /** The last closure in which it asked to be saved. */
  toSaveIn = 0;
  /** The last window in which it had a turn that was kept, and the last in which such a turn asked to be saved. */
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
