import type { AnyDefinition, Context, Kind } from '../../actors/kernel/actor.ts';
import type { ServiceWorld } from '../../actors/service-world.ts';

export type AnyContext = Context<ServiceWorld, Kind<ServiceWorld>>;
export type AnyMessage = ServiceWorld['messages'][Kind<ServiceWorld>];
export type AnyHandler = (state: unknown, message: AnyMessage, context: AnyContext) => void;

/** Sees every turn of every actor. `before` may give a function that is called after the turn. */
export type TurnObserver = (
  kind: Kind<ServiceWorld>,
  state: unknown,
  message: AnyMessage,
  context: AnyContext,
) => (() => void) | null;

/** The same definitions, with an observer of their turns. */
export function watchTurns(
  definitions: readonly AnyDefinition<ServiceWorld>[],
  before: TurnObserver,
): AnyDefinition<ServiceWorld>[] {
  return definitions.map((definition) => {
    const handlers: Record<string, AnyHandler> = {};
    for (const [type, handle] of Object.entries(definition.handlers)) {
      handlers[type] = (state, message, context) => {
        const after = before(definition.kind, state, message, context);
        handle(state, message, context);
        after?.();
      };
    }
    return { ...definition, handlers };
  });
}
