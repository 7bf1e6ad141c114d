import type { RegistrarState } from '../../actors/agent/registrar/state.ts';
import type { ServiceSystem } from '../../actors/service/service-system.ts';
import { confirmExits } from '../../actors/service/worker/exiting-attempts.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import type { AnyDefinition } from '../../actors/kernel/actor.ts';
import { put } from '../../src/core/records/change-set.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { ServiceTerms } from '../../src/core/wire/bus-messages.ts';
import { handleAgent } from './agent-mutant.ts';
import type { Build } from './build.ts';
import { handle, withDefinitions, type Mutant } from './mutant.ts';
import {
  changedPatience,
  clusteredBus,
  lateReplies,
  patience,
  retriedWhileSilent,
  returningService,
  serviceDown,
  staleConnection,
} from './outage-scenarios.ts';
import type { ServiceBuild } from './service-model.ts';
import { contextWith, type AnyHandler } from './watch-turns.ts';

const service =
  (changed: Partial<ServiceBuild>) =>
  (build: Build): Build => ({ ...build, service: { ...build.service, ...changed } });

/** Part of the heartbeat timeout that a service does not wait for. */
const EARLY_MS = 20_000;

/** The worker actor counts silence from some time before the connection to the bus. */
function countEarly(definition: AnyDefinition<ServiceSystem>): AnyDefinition<ServiceSystem> {
  if (definition.kind !== 'worker') return definition;
  const handlers: Record<string, AnyHandler> = {};
  for (const [type, original] of Object.entries(definition.handlers)) {
    handlers[type] = (state, message, context) => {
      const receivingSince = Math.max(0, context.receivingSince - EARLY_MS);
      original(state, message, contextWith(context, { receivingSince }));
    };
  }
  return { ...definition, handlers };
}

/** Mutants of the protocol for outages (docs/decisions/outages.md). */
export const OUTAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the absence of the service does not count as contact',
    plant: handleAgent('registrar', 'absence.probed', (state, message, context, original) => {
      original(state, { ...message, isAbsent: false }, context);
    }),
    scenario: serviceDown,
  },
  {
    name: 'a worker ignores the announced time until its tasks are reclaimed',
    plant: handleAgent('registrar', 'presence.answered', (state, message, context, original) => {
      const { reply } = message;
      if (reply.type !== 'registered' && reply.type !== 'alive') {
        original(state, message, context);
        return;
      }
      const { reclaim_after_ms: _ignored, ...rest } = reply;
      original(state, { ...message, reply: rest }, context);
    }),
    scenario: patience,
  },
  {
    name: 'silence counts before the bus has the subscriptions of the service',
    plant: service({ livesBeforeSubscribed: true }),
    scenario: returningService,
  },
  {
    name: 'silence counts while the service knows that it is not connected',
    plant: service({ ignoresDisconnects: true }),
    scenario: returningService,
  },
  {
    name: 'tasks are reclaimed before one whole timeout of uninterrupted contact with the bus',
    plant: withDefinitions(countEarly),
    scenario: returningService,
  },
  {
    name: 'tasks are reclaimed without a round trip to the bus',
    plant: service({ confirmsBlindly: true }),
    scenario: staleConnection,
  },
  {
    name: 'a fence trusts a bus that is itself cut off from the service',
    plant: (build) => ({ ...build, agents: { ...build.agents, trustsBus: true } }),
    scenario: returningService,
  },
  {
    name: 'a cluster is declared as a single bus',
    plant: (build) => {
      build.terms.trustsClusters = true;
      return build;
    },
    scenario: clusteredBus,
  },
  {
    name: 'the absence of the service counts from the reply of the bus instead of the question',
    plant: handleAgent('registrar', 'absence.probed', (state, message, context, original) => {
      const { probes } = state as RegistrarState;
      const probe = probes.get(message.token);
      if (probe !== undefined) probes.set(message.token, { ...probe, sentAt: context.now });
      original(state, message, context);
    }),
    scenario: lateReplies,
  },
  {
    name: 'a longer time until tasks are reclaimed is promised but not stored',
    plant: service({
      commit: (commit) => (changes, onCommit) => {
        commit(
          changes.map((change) => {
            if (change.op !== 'put' || change.table !== 'worker') return change;
            const { promise: _unstored, ...record } = change.value;
            return put('worker', change.key, record);
          }),
          onCommit,
        );
      },
    }),
    scenario: changedPatience,
  },
  {
    name: 'a shorter time until tasks are reclaimed applies before the worker uses it',
    plant: handle('worker', 'worker.heartbeat', (state, message, context, original) => {
      const worker = state as WorkerState;
      const reply: typeof context.reply = (to, answer) => {
        const { reclaim_after_ms: reclaimAfterMs } = answer as ServiceTerms;
        if (reclaimAfterMs !== undefined) {
          const buses = worker.record.promise?.buses ?? [];
          worker.record = { ...worker.record, promise: { reclaimAfterMs, buses } };
          worker.storedHeartbeatAt = worker.record.lastHeartbeatAt;
          context.change(put('worker', keys.worker(worker.record.id), worker.record));
        }
        context.reply(to, answer);
      };
      original(state, message, contextWith(context, { reply }));
    }),
    scenario: changedPatience,
  },
  {
    name: 'a retry waits for a canceled attempt only until its worker is offline',
    plant: handle('worker', 'expiry.granted', (state, message, context, original) => {
      original(state, message, context);
      const worker = state as WorkerState;
      if (worker.record.status !== 'online') confirmExits(worker, [...worker.exiting], context);
    }),
    scenario: retriedWhileSilent,
  },
];
