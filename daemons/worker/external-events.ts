import type { AgentEnvelope } from '../../actors/agent/agent-system.ts';
import type { BusEvent, WorkerBusListener } from '../../src/core/ports/bus.ts';
import type { TaskProcessEvents } from '../../src/core/ports/task-processes.ts';

/** Returns the listener that sends events of task processes to their sessions. */
export function processEvents(post: (envelope: AgentEnvelope) => void): TaskProcessEvents {
  return {
    opened: (sessionId, failure) => {
      post({ actor: 'session', id: sessionId, message: { type: 'session.opened', failure } });
    },
    started: (sessionId, run) => {
      post({ actor: 'session', id: sessionId, message: { type: 'action.started', run } });
    },
    output: (sessionId, run, batch) => {
      post({ actor: 'session', id: sessionId, message: { type: 'action.output', run, batch } });
    },
    ended: (sessionId, run, end, usage) => {
      const message = { type: 'action.ended', run, end, ...(usage !== undefined && { usage }) } as const;
      post({ actor: 'session', id: sessionId, message });
    },
    closed: (sessionId) => {
      post({ actor: 'session', id: sessionId, message: { type: 'session.closed' } });
    },
  };
}

/** Returns the listener that sends messages of the bus to the actors. */
export function busListener(
  post: (envelope: AgentEnvelope) => void,
  noticed: (event: BusEvent) => void,
): WorkerBusListener {
  return {
    cancelRequested: ({ attempt_id: attemptId, reason }) => {
      post({
        actor: 'registrar',
        id: 'registrar',
        message: { type: 'cancel.hinted', attemptId, reason },
      });
    },
    ownerAnnounced: ({ service }) => {
      post({ actor: 'registrar', id: 'registrar', message: { type: 'owner.announced', service } });
    },
    leaseAnsweredLate: (reply) => {
      post({ actor: 'poller', id: 'poller', message: { type: 'lease.answered-late', reply } });
    },
    busChanged: (event) => {
      noticed(event);
      if (event.type === 'ready')
        post({ actor: 'registrar', id: 'registrar', message: { type: 'bus.ready' } });
    },
  };
}
