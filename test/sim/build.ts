import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { localPresence } from '../../src/adapters/memory/local-presence.ts';
import { serviceActors } from '../../actors/service/service-actors.ts';
import {
  LEASE_HOLD_MS,
  STALE_ASSIGNED_MS,
  type ServiceSettings,
} from '../../actors/service/service-system.ts';
import { refusedKeys } from '../../src/core/bus-identity/credentials.ts';
import { LocalTallies } from '../../src/adapters/memory/local-tallies.ts';
import { agentActors } from '../../actors/agent/agent-actors.ts';
import type { AgentBuild } from './agent-incarnation.ts';
import type { MachineRules } from './task-processes-model.ts';
import type { RefusedKeys } from './bus-credentials.ts';
import { BUS_ID } from './bus-model.ts';
import { EXPR_MEMORY_BYTES, HEARTBEAT_TIMEOUT_MS, type SimulationOptions } from './options.ts';
import type { ServiceBuild } from './service-model.ts';

/** Parts of a simulation: the real ones unless a mutant replaces them. */
export interface Build {
  readonly service: ServiceBuild;
  readonly agents: AgentBuild;
  readonly machines: MachineRules;
  readonly terms: BusTerms;
}

/** How the service describes its bus, and whom the bus refuses. A mutant changes it. */
export interface BusTerms {
  /** Declares a cluster as a single bus. */
  trustsClusters: boolean;
  /** Keys that the service lets the bus refuse. */
  refusedKeys: RefusedKeys;
}

const SINGLE_BUS = { id: BUS_ID, limitMs: 24 * 3_600_000 };

/** Settings of the service, except those of its process. */
export type Settings = Omit<ServiceSettings, 'tallies'>;

export const settingsOf = (options: SimulationOptions): Settings => ({
  serviceId: 'the service',
  epoch: null,
  attemptFloor: 1,
  regex: createRe2Engine(),
  heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
  reclaimAfterMs: options.reclaimAfterMs[0] ?? HEARTBEAT_TIMEOUT_MS,
  singleBus: () => null,
  retry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
  leaseHoldMs: LEASE_HOLD_MS,
  // Small, so that a few jobs are queried in several pieces with other messages between them.
  recoveryBatchSize: 1,
  staleAssignedMs: STALE_ASSIGNED_MS,
  webhooks: { retryForMs: 86_400_000, poolExhaustedAfterMs: 600_000, presence: localPresence() },
  unschedulableGraceMs: options.unschedulableGraceMs,
  reservationAfterMs: options.reservationAfterMs,
  exprMemoryBytes: EXPR_MEMORY_BYTES,
  retention: { afterMs: options.retentionMs, includeFailed: !options.retainsFailed },
  audit: {
    isOn: true,
    retentionMs: 90 * 86_400_000,
    entries: { people: 1_000_000, strangers: 100_000, service: 100_000 },
  },
  workers: { perFarm: 10_000, retentionMs: 86_400_000 },
  ownsFarm: () => true,
});

export function unmodifiedBuild(settings: Settings, options: SimulationOptions): Build {
  const tallies = new LocalTallies();
  const terms: BusTerms = { trustsClusters: false, refusedKeys };
  const { reclaimAfterMs: times, isCluster } = options;
  let starts = 0;
  return {
    terms,
    service: {
      definitions: () => {
        const reclaimAfterMs = times[starts % times.length] ?? settings.reclaimAfterMs;
        starts++;
        return serviceActors({
          ...settings,
          serviceId: `start ${starts}`,
          reclaimAfterMs,
          singleBus: () => (isCluster && !terms.trustsClusters ? null : SINGLE_BUS),
          tallies,
        });
      },
      livesBeforeSubscribed: false,
      ignoresDisconnects: false,
      confirmsBlindly: false,
      tallies,
      commit: (commit) => commit,
      confirmsAtOnce: false,
      answersUnread: false,
      dropsUnread: false,
      believesSenders: false,
    },
    agents: { definitions: agentActors, trustsBus: false, effect: (effect) => effect },
    machines: { guardsProcesses: true, guardsCountContact: true },
  };
}
