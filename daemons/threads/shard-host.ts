import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { KERNEL_LIMITS, type KernelPorts } from '../../actors/kernel/ports.ts';
import { ThreadHost } from '../../actors/kernel/thread-host.ts';
import { RECOVERY_BATCH_SIZE } from '../../actors/service/lease/recovery.ts';
import { serviceActors } from '../../actors/service/service-actors.ts';
import { LEASE_HOLD_MS, STALE_ASSIGNED_MS, type ServiceSystem } from '../../actors/service/service-system.ts';
import { causeOf } from '../../actors/service/gateway/cause-of.ts';
import { requiresReadable } from '../../actors/service/gateway/prepare-flush.ts';
import { recordTools } from '../../src/adapters/cluster/record-tools.ts';
import { sharedPresence } from '../../src/adapters/system/shared-presence.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { encodeCauses } from '../../src/core/cluster/sections.ts';
import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { Tallies } from '../../src/core/ports/tallies.ts';
import type { SingleBus } from '../../src/core/records/worker.ts';
import { coalesceChanges } from '../../src/core/records/change-set.ts';
import type { ShardParts } from './shard-parts.ts';
import { SHARD_PROTOCOL_VERSION } from './shard-protocol.ts';

type HostPorts = KernelPorts<ServiceSystem>;

/**
 * Maximum number of windows in flight in a cluster. A window is durable after several milliseconds there, because a quorum
 * must have its record. The log has as many records in flight (NODE_LIMITS).
 */
const CLUSTER_WINDOWS_IN_FLIGHT = 4;

/** Creates the kernel of a shard with its actors. */
export function createHost(
  parts: ShardParts,
  tallies: Tallies,
  singleBus: () => SingleBus | null,
  prepareFlush: HostPorts['prepareFlush'],
): ThreadHost<ServiceSystem> {
  const { options, notify, ownsFarm, reader, preloadedJob } = parts;
  const ids = new Uuid7(() => Date.now());
  return new ThreadHost<ServiceSystem>(
    serviceActors(
      {
        heartbeatTimeoutMs: options.heartbeatTimeoutMs,
        reclaimAfterMs: options.reclaimAfterMs,
        singleBus,
        retry: options.retry,
        leaseHoldMs: LEASE_HOLD_MS,
        recoveryBatchSize: RECOVERY_BATCH_SIZE,
        staleAssignedMs: STALE_ASSIGNED_MS,
        unschedulableGraceMs: options.unschedulableGraceMs,
        reservationAfterMs: options.reservationAfterMs,
        exprMemoryBytes: options.exprMemoryBytes,
        retention: options.retention,
        audit: options.audit,
        webhooks: { ...options.webhooks, presence: sharedPresence(options.webhookPresence) },
        workers: options.workers,
        serviceId: options.serviceId,
        epoch: options.epoch,
        attemptFloor: options.attemptFloor,
        regex: createRe2Engine(),
        tallies,
        ownsFarm,
      },
      preloadedJob,
    ),
    {
      reader,
      newId: () => ids.next(),
      commit: commitWith(parts),
      prepareFlush,
      log: (level, text, attributes) =>
        notify({ v: SHARD_PROTOCOL_VERSION, type: 'log', level, text, attributes }),
      fatal: (error) => {
        throw error instanceof Error ? error : new Error(String(error));
      },
    },
    options.standing === null ? KERNEL_LIMITS.windowsInFlight : CLUSTER_WINDOWS_IN_FLIGHT,
  );
}

/** Returns the function that sends the changes of a window to the store thread, in a cluster with their causes. */
function commitWith({ options, reader, store, meter }: ShardParts): HostPorts['commit'] {
  let sequence = 0;
  return (changes, onCommit, { outputs, mails }) => {
    sequence++;
    const latest = coalesceChanges(changes);
    const set = { version: 1, shard: options.index, sequence, changes: latest } as const;
    const causes =
      options.standing === null
        ? null
        : encodeCauses(
            mails.map(({ envelope }) => causeOf(envelope)),
            recordTools,
          );
    const callbacks: CommitCallbacks = {
      onDurable: callBoth(meter.committing(latest), onCommit.onDurable),
      onReadable: callBoth(() => reader.refresh(), onCommit.onReadable),
    };
    store.commit(set, callbacks, { isAwaited: outputs.some(requiresReadable), causes });
  };
}

/** Returns a function that calls both. It retains nothing but them, because a commit may wait for long. */
const callBoth =
  (first: () => void, second: () => void): (() => void) =>
  () => {
    first();
    second();
  };
