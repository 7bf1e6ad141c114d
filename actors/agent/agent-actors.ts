import { anyActor, type ActorDefinition, type AnyDefinition, type Kind } from '../kernel/actor.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { AgentSystem } from './agent-system.ts';
import { outboxActor } from './outbox/outbox-actor.ts';
import { pollerActor } from './poller/poller-actor.ts';
import { registrarActor } from './registrar/registrar-actor.ts';
import { sessionActor } from './session/session-actor.ts';
import { shipperActor } from './shipper/shipper-actor.ts';

/** Returns the actors of one start of a worker agent. The agent starts work with the registrar's `agent.start`. */
export function agentActors(settings: AgentSettings): readonly AnyDefinition<AgentSystem>[] {
  return [
    anyActor(loadedOnce(registrarActor(settings))),
    anyActor(loadedOnce(pollerActor(settings))),
    anyActor(loadedOnce(outboxActor())),
    anyActor(sessionActor(settings)),
    anyActor(shipperActor(settings.spoolsLogs)),
  ];
}

/**
 * Makes a second load of an actor fatal. The state of these actors is only in memory. An agent that has lost it could
 * run a task twice. So after a handler has thrown, the agent exits: supervisors end the processes, and the next agent
 * starts from the disk.
 */
function loadedOnce<K extends Kind<AgentSystem>, State>(
  definition: ActorDefinition<AgentSystem, K, State>,
): ActorDefinition<AgentSystem, K, State> {
  let isLoaded = false;
  return {
    ...definition,
    load: (id, reader, now) => {
      if (isLoaded) throw new Error(`the state of the ${definition.kind} was lost`);
      isLoaded = true;
      return definition.load(id, reader, now);
    },
  };
}
