import type { OutboxState } from '../../actors/agent/outbox/state.ts';
import { sessionReuseKey } from '../../actors/agent/poller/session-pool.ts';
import type { PollerState } from '../../actors/agent/poller/state.ts';
import type { RegistrarState } from '../../actors/agent/registrar/state.ts';
import type { SessionState } from '../../actors/agent/session/state.ts';
import type { ShipperState } from '../../actors/agent/shipper/state.ts';
import { handleAgent, withAgentDefinitions } from './agent-mutant.ts';
import type { Build } from './build.ts';
import type { Mutant } from './mutant.ts';
import { releaseWithoutKill, restartedWorker } from './scenarios.ts';

const machines =
  (rules: Partial<Build['machines']>) =>
  (build: Build): Build => ({ ...build, machines: { ...build.machines, ...rules } });

/** Mutants of the worker's daemon and its guards. */
export const AGENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'guards count from the last beat of a daemon, even after a loss of contact',
    plant: machines({ guardsCountContact: false }),
    scenario: releaseWithoutKill,
  },
  { name: 'processes outlive their daemon', plant: machines({ guardsProcesses: false }) },
  {
    name: 'neither a worker nor its guards stop tasks without contact',
    plant: (build) =>
      handleAgent(
        'registrar',
        'contact.lost',
        () => undefined,
      )(machines({ guardsCountContact: false })(build)),
    scenario: releaseWithoutKill,
  },
  {
    name: 'a worker registers before its processes are dead',
    plant: handleAgent('registrar', 'contact.lost', (state, message, context, original) => {
      (state as RegistrarState).running.clear();
      original(state, message, context);
    }),
  },
  {
    name: 'an unconfirmed assignment starts without confirmation',
    plant: handleAgent('registrar', 'attempts.taken', (state, message, context, original) => {
      original(state, message, context);
      if (message.awaitingConfirmation)
        context.send('poller', 'poller', { type: 'attempts.confirmed', attemptIds: message.attemptIds });
    }),
  },
  {
    name: 'the outbox loses unconfirmed reports at a restart',
    plant: withAgentDefinitions((definition) => {
      if (definition.kind !== 'outbox') return definition;
      return {
        ...definition,
        load: (id, reader, now) => {
          const state = definition.load(id, reader, now);
          (state as OutboxState).reports.clear();
          return state;
        },
      };
    }),
  },
  {
    name: 'the outbox discards an end as soon as a lease request carries it',
    plant: handleAgent('outbox', 'lease-request.sending', (state, message, context, original) => {
      original(state, message, context);
      const outbox = state as OutboxState;
      for (const attemptId of outbox.piggybacked.get(message.requestId) ?? []) {
        outbox.reports.delete(attemptId);
        context.change({ op: 'report-confirmed', attemptId });
      }
    }),
  },
  {
    name: 'an end is not published again when its lease request is lost',
    plant: handleAgent('outbox', 'lease-request.sending', (state, message, context, original) => {
      original(state, message, context);
      const { piggybacked } = state as OutboxState;
      for (const attemptId of piggybacked.get(message.requestId) ?? []) context.cancelTimer(attemptId);
      piggybacked.delete(message.requestId);
    }),
  },
  {
    name: 'an end counts as confirmed when its lease request ends, with any answer',
    plant: handleAgent('outbox', 'lease-request.ended', (state, message, context, original) => {
      const riders = (state as OutboxState).piggybacked.get(message.requestId) ?? [];
      original(state, { ...message, confirmed: [...message.confirmed, ...riders] }, context);
    }),
  },
  {
    name: 'a report of an earlier incarnation is missing from the open attempts',
    plant: withAgentDefinitions((definition) => {
      if (definition.kind !== 'registrar') return definition;
      return {
        ...definition,
        load: (id, reader, now) => {
          const state = definition.load(id, reader, now);
          (state as RegistrarState).reported.clear();
          return state;
        },
      };
    }),
  },
  {
    name: 'a worker does not stop what the service has closed',
    scenario: restartedWorker,
    plant: (build) =>
      handleAgent(
        'poller',
        'attempt.revoked',
        () => undefined,
      )(handleAgent('poller', 'attempt.cancel', () => undefined)(build)),
  },
  {
    name: 'a session receives tasks of another step',
    plant: handleAgent('poller', 'lease.answered', (state, message, context, original) => {
      const { reply } = message;
      const assignment = reply.type === 'leases' ? reply.assignments[0] : undefined;
      const step =
        assignment === undefined || reply.type !== 'leases' ? undefined : reply.steps[assignment.step_id];
      if (assignment !== undefined && step !== undefined) {
        const { sessions } = state as PollerState;
        const terms = sessionReuseKey(step, null);
        for (const [id, session] of sessions)
          if (session.isIdle) sessions.set(id, { ...session, stepId: assignment.step_id, terms });
      }
      original(state, message, context);
    }),
  },
  {
    name: 'environments are left without their exit',
    plant: handleAgent('session', 'session.end', (state, message, context, original) => {
      (state as SessionState).entered.length = 0;
      original(state, message, context);
    }),
  },
  {
    name: 'the inner environment is entered first',
    plant: handleAgent('session', 'session.opened', (state, message, context, original) => {
      const session = state as { environments: SessionState['environments'] };
      session.environments = [...session.environments].reverse();
      original(state, message, context);
    }),
  },
  {
    name: 'a task runs although an environment is missing',
    plant: handleAgent('session', 'session.opened', (state, message, context, original) => {
      (state as SessionState).tried = 1;
      original(state, message, context);
    }),
  },
  {
    name: 'an unstored log chunk is dropped silently',
    plant: handleAgent('shipper', 'logs.stored', (state, message, context, original) => {
      const { sealed, underWay } = state as ShipperState;
      if (message.stored < underWay) {
        const [lost] = sealed.splice(message.stored, 1);
        const next = sealed[message.stored];
        if (next !== undefined) next.holds += lost?.holds ?? 0;
      }
      original(state, message, context);
    }),
  },
  {
    name: 'log lines are reordered',
    plant: handleAgent('shipper', 'logs.lines', (state, message, context, original) => {
      const { batch } = message;
      original(state, { ...message, batch: { ...batch, lines: [...batch.lines].reverse() } }, context);
    }),
  },
  {
    name: 'a worker leaves while sessions are open',
    plant: handleAgent('poller', 'poller.leave', (state, message, context, original) => {
      original(state, message, context);
      context.send('registrar', 'registrar', { type: 'sessions.ended' });
    }),
  },
];
