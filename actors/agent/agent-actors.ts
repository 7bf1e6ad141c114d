import { anyActor, type ActorDefinition, type AnyDefinition, type Kind } from '../kernel/actor.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { AgentSystem } from './agent-system.ts';
import { outboxActor } from './outbox/outbox-actor.ts';
import { pollerActor } from './poller/poller-actor.ts';
import { registrarActor } from './registrar/registrar-actor.ts';
import { sessionActor } from './session/session-actor.ts';
import { shipperActor } from './shipper/shipper-actor.ts';

/** The actors of one start of a worker's daemon. The daemon begins to work with the registrar's `agent.start`. */
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
 * What these actors know is in memory alone. A daemon that has forgotten what runs on it could run it twice, so one
 * that would have to load them again after a handler threw ends instead: supervisors end the processes, and the next
 * daemon starts from the disk.
 */
function loadedOnce<K extends Kind<AgentSystem>, State>(
  definition: ActorDefinition<AgentSystem, K, State>,
): ActorDefinition<AgentSystem, K, State> {
  let isLoaded = false;
  return {
    ...definition,
    load: (id, reader, now) => {
      if (isLoaded) throw new Error(`the ${definition.kind} has lost its state`);
      isLoaded = true;
      return definition.load(id, reader, now);
    },
  };
}
