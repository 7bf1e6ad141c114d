import type { ActorMessages, ReplyTo } from './address.ts';

/**
 * Interface of an actor (docs/architecture.md#a-turn). An actor sees only its state, one message and a context. It has
 * no clock, no random numbers and no I/O. Handling one message is one turn. A handler never awaits.
 */

/** The types that all actors of one process share. */
export interface ActorSystem {
  /** Every kind of actor and the union of its messages. */
  readonly messages: ActorMessages;
  /** A write to the store. */
  readonly change: unknown;
  /** An action outside the actors that starts once the turn's changes are on disk. */
  readonly effect: unknown;
  /** Committed state, the argument of `load`. */
  readonly reader: unknown;
}

export type Kind<W extends ActorSystem> = keyof W['messages'] & string;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Names a timer of an actor: setting it again replaces it. */
export type TimerName = string;

export interface Context<W extends ActorSystem, K extends Kind<W>> {
  /** Milliseconds since the epoch, the same throughout a turn. */
  readonly now: number;
  /**
   * Start of the current period without interruption in which this process could receive messages: its start, or the
   * end of its last stall or bus outage. Silence of others before that proves nothing
   * (docs/dependency-hazards.md#d10-silence-after-an-outage-of-the-service).
   */
  readonly receivingSince: number;
  /** Returns a new UUIDv7, greater than all earlier ones. */
  newId(): string;
  /** Sends a message to an actor of this process. Delivered in order, within the same commit. */
  send<T extends Kind<W>>(actor: T, id: string, message: W['messages'][T]): void;
  /** Sends the answer to the caller after the commit. The type of the address fixes the type of the answer. */
  reply<Answer>(to: ReplyTo<Answer>, answer: Answer): void;
  /** Starts an effect after the commit. Effects start in order. */
  effect(effect: W['effect']): void;
  change(change: W['change']): void;
  /**
   * Requests a call of `save` at the end of the commit window. For rows that many turns change and that are written
   * once.
   */
  markDirty(): void;
  /**
   * Sends the message to this actor after a delay. Replaces a timer of the same name. The timer is lost when the actor
   * is evicted.
   */
  after(name: TimerName, delayMs: number, message: W['messages'][K]): void;
  cancelTimer(name: TimerName): void;
  log(level: LogLevel, text: string, attributes?: Readonly<Record<string, string>>): void;
}

export type Handlers<W extends ActorSystem, K extends Kind<W>, State> = {
  readonly [Type in W['messages'][K]['type']]: (
    state: State,
    message: Extract<W['messages'][K], { type: Type }>,
    context: Context<W, K>,
  ) => void;
};

export interface ActorDefinition<W extends ActorSystem, K extends Kind<W>, State> {
  readonly kind: K;
  /** Returns the stored state of this actor, or null if the store has none. */
  load(id: string, reader: W['reader'], now: number): State | null;
  /** Called after each load and before the first message, for example to set timers. */
  onActivated?(state: State, context: Context<W, K>): void;
  /**
   * Writes the pending rows of a commit window, once, at its end (docs/decisions/saving.md). May only call `change`.
   * Also called for an actor that has deleted itself.
   */
  save?(state: State, context: Context<W, K>): void;
  /**
   * Reports whether the actor is idle. The kernel evicts it once its changes are readable, unless a message arrives
   * first.
   */
  isEvictable?(state: State): boolean;
  /**
   * Reports whether the actor has deleted itself from the store. Later messages go to `onMissing`, even before the
   * deletion is on disk.
   */
  isDeleted?(state: State): boolean;
  /** Handles a message for an actor that does not exist: returns a new state, or null if the message creates none. */
  onMissing(id: string, message: W['messages'][K], context: Context<W, K>): State | null;
  readonly handlers: Handlers<W, K, State>;
}

/** An actor of any kind, as the kernel sees it: it finds definitions by kind and handlers by message type. */
export interface AnyDefinition<W extends ActorSystem> {
  readonly kind: Kind<W>;
  load(id: string, reader: W['reader'], now: number): unknown;
  readonly onActivated?: (state: unknown, context: Context<W, Kind<W>>) => void;
  save?(state: unknown, context: Context<W, Kind<W>>): void;
  isEvictable?(state: unknown): boolean;
  isDeleted?(state: unknown): boolean;
  onMissing(id: string, message: W['messages'][Kind<W>], context: Context<W, Kind<W>>): unknown;
  readonly handlers: Readonly<
    Record<string, (state: unknown, message: W['messages'][Kind<W>], context: Context<W, Kind<W>>) => void>
  >;
}

/**
 * Erases the types of state and message. The kernel passes a definition only its own state, and a handler only messages
 * of its type. No other code casts.
 */
export function anyActor<W extends ActorSystem, K extends Kind<W>, State>(
  definition: ActorDefinition<W, K, State>,
): AnyDefinition<W> {
  return definition as unknown as AnyDefinition<W>;
}
