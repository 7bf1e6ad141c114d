import type { AnyDefinition, Context, Kind } from '../../actors/kernel/actor.ts';
import type { ServiceEffect, ServiceSystem } from '../../actors/service/service-system.ts';
import type { Change } from '../../src/core/records/change-set.ts';

export type AnyContext = Context<ServiceSystem, Kind<ServiceSystem>>;
export type AnyMessage = ServiceSystem['messages'][Kind<ServiceSystem>];
export type AnyHandler = (state: unknown, message: AnyMessage, context: AnyContext) => void;

/** An observed turn of an actor. */
export interface Turn {
  readonly kind: Kind<ServiceSystem>;
  readonly state: unknown;
  readonly message: AnyMessage;
  readonly now: number;
  /** The message came from outside, so it starts a unit of work (docs/decisions/unit-of-work.md). */
  readonly startsUnitOfWork: boolean;
}

/** A message from one actor to another. */
interface Sent {
  readonly id: string;
  readonly message: AnyMessage;
}

/** Outputs of a turn. */
export interface TurnOutputs {
  readonly sent: readonly Sent[];
  readonly effects: readonly ServiceEffect[];
  readonly answers: readonly unknown[];
  readonly changes: readonly Change[];
}

/** Observes every turn of every actor. `before` may return a function that is called after the turn. */
export type TurnObserver = (turn: Turn) => ((said: TurnOutputs) => void) | null;

/** Returns the context with some members replaced. */
export function contextWith(context: AnyContext, changed: Partial<AnyContext>): AnyContext {
  return {
    now: context.now,
    receivingSince: context.receivingSince,
    newId: () => context.newId(),
    send: (actor, id, message) => {
      context.send(actor, id, message);
    },
    reply: (to, answer) => {
      context.reply(to, answer);
    },
    effect: (effect) => {
      context.effect(effect);
    },
    change: (change) => {
      context.change(change);
    },
    markDirty: () => {
      context.markDirty();
    },
    after: (name, delayMs, message) => {
      context.after(name, delayMs, message);
    },
    cancelTimer: (name) => {
      context.cancelTimer(name);
    },
    log: (level, text, attributes) => {
      context.log(level, text, attributes);
    },
    ...changed,
  };
}

/** Returns the definitions with an observer of their turns. */
export function watchTurns(
  definitions: readonly AnyDefinition<ServiceSystem>[],
  before: TurnObserver,
): AnyDefinition<ServiceSystem>[] {
  /** Messages between actors. */
  const inner = new WeakSet<object>();
  return definitions.map((definition) => {
    const handlers: Record<string, AnyHandler> = {};
    for (const [type, handle] of Object.entries(definition.handlers)) {
      handlers[type] = (state, message, context) => {
        const startsUnitOfWork = !inner.has(message);
        const after = before({ kind: definition.kind, state, message, now: context.now, startsUnitOfWork });
        const sent: Sent[] = [];
        const effects: ServiceEffect[] = [];
        const answers: unknown[] = [];
        const changes: Change[] = [];
        const watched = contextWith(context, {
          send: (actor, id, said) => {
            inner.add(said);
            sent.push({ id, message: said });
            context.send(actor, id, said);
          },
          effect: (effect) => {
            effects.push(effect);
            context.effect(effect);
          },
          reply: (to, answer) => {
            answers.push(answer);
            context.reply(to, answer);
          },
          change: (change) => {
            changes.push(change);
            context.change(change);
          },
        });
        handle(state, message, watched);
        after?.({ sent, effects, answers, changes });
      };
    }
    return { ...definition, handlers };
  });
}
