import type { AnyDefinition, Kind } from '../../actors/kernel/actor.ts';
import type { ServiceSystem } from '../../actors/service/service-system.ts';
import type { Build } from './build.ts';
import type { SimulationOptions } from './options.ts';
import type { Scenario } from './scenarios.ts';
import type { AnyContext, AnyHandler, AnyMessage } from './watch-turns.ts';

/**
 * Bugs that the simulation must find. Each changes one part of a correct build from outside. A simulation that misses
 * planted bugs proves nothing (docs/testing.md#simulation).
 */
export interface Mutant {
  readonly name: string;
  readonly plant: (build: Build) => Build;
  /** The scenario that reveals it; absent if any random farm does. */
  readonly scenario?: Scenario;
  /** Changes the drawn options; absent if farms with the usual ones reveal it. */
  readonly options?: (drawn: SimulationOptions) => SimulationOptions;
}

type MessageOf<K extends Kind<ServiceSystem>, T extends string> = Extract<
  ServiceSystem['messages'][K],
  { type: T }
>;

/** Replaces a handler. The replacement can call the original. */
export function handle<K extends Kind<ServiceSystem>, T extends ServiceSystem['messages'][K]['type']>(
  kind: K,
  type: T,
  spoil: (state: unknown, message: MessageOf<K, T>, context: AnyContext, original: AnyHandler) => void,
): (build: Build) => Build {
  return withDefinitions((definition) => {
    if (definition.kind !== kind) return definition;
    const original = definition.handlers[type];
    if (original === undefined) throw new Error(`${kind} has no handler for ${type}`);
    const spoiled: AnyHandler = (state, message, context) => {
      // The kernel looks handlers up by message type.
      spoil(state, message as MessageOf<K, T>, context, original);
    };
    return { ...definition, handlers: { ...definition.handlers, [type]: spoiled } };
  });
}

export function withDefinitions(
  change: (definition: AnyDefinition<ServiceSystem>) => AnyDefinition<ServiceSystem>,
): (build: Build) => Build {
  return (build) => ({
    ...build,
    service: { ...build.service, definitions: () => build.service.definitions().map(change) },
  });
}

/** Drops the sent messages of one type. */
export function droppingMessages(context: AnyContext, type: AnyMessage['type']): AnyContext['send'] {
  return (actor, id, message) => {
    if (message.type !== type) context.send(actor, id, message);
  };
}
