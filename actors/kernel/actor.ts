import type { ActorMessages, ReplyTo } from './address.ts';

/**
 * What an actor is (docs/architecture.md#a-turn): it sees its state, one message and a context, and nothing else: no
 * clock, no random, no I/O. One message handled is one turn; a handler never awaits.
 */

/** The types that all actors of one process share. */
export interface ActorSystem {
  /** Every kind of actor and the union of its messages. */
  readonly messages: ActorMessages;
  /** A write. */
  readonly change: unknown;
  /** What is told to the world outside once the turn's changes are on disk. */
  readonly effect: unknown;
  /** What `load` reads from: committed state. */
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
   * Since when this process has been able to hear others without a break: its start, the end of its last stall or
   * bus outage. Silence before that proves nothing
   * (docs/dependency-hazards.md#d10-silence-after-an-outage-of-the-service).
   */
  readonly receivingSince: number;
  /** A new id: UUIDv7, rising. */
  newId(): string;
  /** To an actor of this process. Delivered in order, within the same commit. */
  send<T extends Kind<W>>(actor: T, id: string, message: W['messages'][T]): void;
  /** Sends the answer to the caller once the turn's changes are on disk. The address fixes the answer's type. */
  reply<Answer>(to: ReplyTo<Answer>, answer: Answer): void;
  /** Said outside after the commit, in order. */
  effect(effect: W['effect']): void;
  change(change: W['change']): void;
  /** Has `save` called at the end of the commit window: for rows that many turns change and that are written once. */
  markDirty(): void;
  /** Sends the message to this actor after a delay; a timer of the same name is replaced. Lost when the actor is dropped. */
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
  /** The state that the store holds of this actor, or null when there is none. */
  load(id: string, reader: W['reader'], now: number): State | null;
  /** After each load and before the first message: the place to set timers. */
  onActivated?(state: State, context: Context<W, K>): void;
  /**
   * Writes what the turns of a commit window have left to be written, once, at its end (docs/decisions/saving.md). It
   * may do nothing but `change`, and is called for an actor that has removed itself, too.
   */
  save?(state: State, context: Context<W, K>): void;
  /** Whether the actor is needed no longer: it is dropped once its changes are on disk, unless a message comes before. */
  isEvictable?(state: State): boolean;
  /**
   * Whether the actor has removed itself from the store: it is over, and until its removal is on disk messages go to
   * `absent`, as they do later.
   */
  isDeleted?(state: State): boolean;
  /** A message for an actor that does not exist: makes its state, or deals with the message and gives null. */
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
 * Hands a definition to the kernel. The one place where the types of state and message are given up: the kernel only
 * ever passes a definition its own state, and a handler the message type that it is filed under.
 */
export function anyActor<W extends ActorSystem, K extends Kind<W>, State>(
  definition: ActorDefinition<W, K, State>,
): AnyDefinition<W> {
  return definition as unknown as AnyDefinition<W>;
}
