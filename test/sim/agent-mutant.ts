import type { AgentMessages, AgentSystem } from '../../actors/agent/agent-system.ts';
import type { AnyDefinition, Context, Kind } from '../../actors/kernel/actor.ts';
import type { Build } from './build.ts';

export type AgentMessageOf<K extends Kind<AgentSystem>, T extends string> = Extract<
  AgentMessages[K],
  { type: T }
>;
type AgentHandler = AnyDefinition<AgentSystem>['handlers'][string];
type AnyAgentContext = Context<AgentSystem, Kind<AgentSystem>>;

/** Replaces a handler of an agent actor. The replacement can call the original. */
export function handleAgent<K extends Kind<AgentSystem>, T extends AgentMessages[K]['type']>(
  kind: K,
  type: T,
  spoil: (
    state: unknown,
    message: AgentMessageOf<K, T>,
    context: AnyAgentContext,
    original: AgentHandler,
  ) => void,
): (build: Build) => Build {
  return withAgentDefinitions((definition) => {
    if (definition.kind !== kind) return definition;
    const original = definition.handlers[type];
    if (original === undefined) throw new Error(`${kind} has no handler for ${type}`);
    const spoiled: AgentHandler = (state, message, context) => {
      // The kernel looks handlers up by message type.
      spoil(state, message as AgentMessageOf<K, T>, context, original);
    };
    return { ...definition, handlers: { ...definition.handlers, [type]: spoiled } };
  });
}

export function withAgentDefinitions(
  change: (definition: AnyDefinition<AgentSystem>) => AnyDefinition<AgentSystem>,
): (build: Build) => Build {
  return (build) => ({
    ...build,
    agents: {
      ...build.agents,
      definitions: (settings) => build.agents.definitions(settings).map(change),
    },
  });
}
