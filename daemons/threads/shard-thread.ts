import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Output } from '../../actors/kernel/unit-of-work.ts';
import type { WindowFlush } from '../../actors/kernel/ports.ts';
import { ThreadHost } from '../../actors/kernel/thread-host.ts';
import { RECOVERY_BATCH_SIZE } from '../../actors/service/lease/recovery.ts';
import { serviceActors } from '../../actors/service/service-actors.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import { recoverActors } from '../../actors/service/recover-actors.ts';
import { LEASE_HOLD_MS, STALE_ASSIGNED_MS, type ServiceSystem } from '../../actors/service/service-system.ts';
import { openStateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { createStoreClient } from '../../src/adapters/lmdb/store-client.ts';
import { connectShardBus } from '../../src/adapters/nats/service-bus.ts';
import { FollowedJobs } from '../../src/adapters/system/followed-jobs.ts';
import { SharedTallies, type NotifyShards } from '../../src/adapters/system/shared-tallies.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import { coalesceChanges, type Change } from '../../src/core/records/change-set.ts';
import type { LeaseReply } from '../../src/core/wire/bus-messages.ts';
import { BusIntake } from '../../actors/service/gateway/bus-intake.ts';
import { exposeControl } from './control-port.ts';
import { prepareFlush, requiresReadable } from '../../actors/service/gateway/prepare-flush.ts';
import { joinPlan } from './plan-parts.ts';
import { serveProfiles } from './profile-channel.ts';
import { shardThreadName } from './thread-entry.ts';
import { PoisonedReports } from '../../actors/service/gateway/accept-reports.ts';
import { MainThreadPublisher } from './main-thread-publisher.ts';
import { ShardMeter } from './shard-meter.ts';
import { shardOfFarm } from './shard-of-farm.ts';
import {
  MEASURE_PERIOD_MS,
  SHARD_PROTOCOL_VERSION,
  type LargeCommand,
  type ShardCommand,
  type ShardControl,
  type ShardNotice,
  type ShardOptions,
} from './shard-protocol.ts';

/** What happens to the bus after which workers cannot be heard until it is ready again. */
const ENDS_LISTENING: ReadonlySet<BusEvent['type']> = new Set(['disconnected', 'unreachable', 'impaired']);

/** A worker that gets it at once rests before it asks again, and says by the stream what rode on the request. */
const NO_TASKS: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };

/** A shard: some of the farms, each whole, on one thread with its own connection to the bus. */
if (parentPort === null) throw new Error('a shard thread is started by the service, not by hand');
await runShard(parentPort, workerData as ShardOptions);

async function runShard(main: MessagePort, options: ShardOptions): Promise<void> {
  serveProfiles(shardThreadName(options.index));
  const tell = (notice: ShardNotice): void => main.postMessage(notice);
  const ownsFarm = (farm: string): boolean => shardOfFarm(farm, options.count) === options.index;
  const reader = await openStateReader(options.stateDirectory);
  const store = createStoreClient(options.storePort);
  const ids = new Uuid7(() => Date.now());
  const meter = new ShardMeter(reader, ownsFarm);
  const poisoned = new PoisonedReports();
  const followed = new FollowedJobs(options.followed);
  const mainThread = new MainThreadPublisher((said) =>
    tell({ v: SHARD_PROTOCOL_VERSION, type: 'outbox', ...said }),
  );
  let sequence = 0;
  const wakeLocalFarms = (slot: number): void => {
    for (const id of tallies.drainWaitingFarms(slot)) {
      host.post({ actor: 'lease', id, message: { type: 'capacity.freed', slot } });
    }
  };
  const notifyCapacityFreed: NotifyShards = (slot, waiting) => {
    const shards = shardsOf(waiting, options.count);
    const others = shards.filter((shard) => shard !== options.index);
    if (others.length < shards.length) wakeLocalFarms(slot);
    if (others.length > 0) tell({ v: SHARD_PROTOCOL_VERSION, type: 'capacity-freed', slot, shards: others });
  };
  const ownShares = options.shares.filter((share) => ownsFarm(share.farmId));
  const tallies = new SharedTallies(options.tallies, options.index, ownShares, notifyCapacityFreed);

  const flushWindow = (outputs: readonly Output<ServiceSystem>[], startedAt: number): WindowFlush =>
    prepareFlush(outputs, startedAt, {
      bus,
      tallies,
      meter,
      poisoned,
      followed,
      mainThread,
      store,
      logError: (text) =>
        tell({ v: SHARD_PROTOCOL_VERSION, type: 'log', level: 'error', text, attributes: {} }),
      defer: queueMicrotask,
    });

  const host = new ThreadHost<ServiceSystem>(
    serviceActors({
      heartbeatTimeoutMs: options.heartbeatTimeoutMs,
      retry: options.retry,
      leaseHoldMs: LEASE_HOLD_MS,
      recoveryBatchSize: RECOVERY_BATCH_SIZE,
      staleAssignedMs: STALE_ASSIGNED_MS,
      unschedulableGraceMs: options.unschedulableGraceMs,
      reservationAfterMs: options.reservationAfterMs,
      exprMemoryBytes: options.exprMemoryBytes,
      retention: options.retention,
      serviceId: options.serviceId,
      attemptFloor: options.attemptFloor,
      tallies,
      ownsFarm,
    }),
    {
      reader,
      newId: () => ids.next(),
      commit: (changes: readonly Change[], onCommit, outputs) => {
        sequence++;
        const latest = coalesceChanges(changes);
        const set = { version: 1, shard: options.index, sequence, changes: latest } as const;
        const toldHere: CommitCallbacks = {
          durable: inTurn(meter.committing(latest), onCommit.durable),
          readable: inTurn(() => reader.refresh(), onCommit.readable),
        };
        if (outputs.some(requiresReadable)) store.commitAndApply(set, toldHere);
        else store.commit(set, toldHere);
      },
      prepareFlush: flushWindow,
      log: (level, text, attributes) =>
        tell({ v: SHARD_PROTOCOL_VERSION, type: 'log', level, text, attributes }),
      fatal: (error) => {
        throw error instanceof Error ? error : new Error(String(error));
      },
    },
  );

  host.kernel.suspendLiveness();
  const intake = new BusIntake({
    reader,
    ownsFarm,
    isFirstShard: options.index === 0,
    meter,
    bus: () => bus,
    post: (envelope, onProcessed) => host.post(envelope, onProcessed),
  });
  const busChanged = (event: BusEvent): void => {
    if (event.type === 'ready') host.kernel.resumeLiveness();
    else if (ENDS_LISTENING.has(event.type)) host.kernel.suspendLiveness();
    tell({ v: SHARD_PROTOCOL_VERSION, type: 'bus', event });
  };
  let isLeasing = true;
  const bus = connectShardBus(
    { servers: options.bus, shard: { index: options.index, count: options.count } },
    {
      leaseRequested: (request, queue, inbox) => {
        if (isLeasing) intake.leaseRequested(request, queue, inbox);
        else if (ownsFarm(request.farm_id)) bus.answerLease(inbox, NO_TASKS);
      },
      presenceAnnounced: intake.presenceAnnounced,
      statusReported: intake.statusReported,
      busChanged,
    },
  );

  const measuring = setInterval(() => {
    tell({ v: SHARD_PROTOCOL_VERSION, type: 'measured', measures: meter.take() });
  }, MEASURE_PERIOD_MS);
  const control: ShardControl = {
    checkBus: (timeoutMs) => bus.check(timeoutMs),
    stopLeasing: async () => {
      isLeasing = false;
      const own = [...reader.scan('farm')].filter(({ value: farm }) => ownsFarm(farm.id));
      const said = own.map(
        ({ value: farm }) =>
          new Promise<void>((resolve) => {
            host.post({ actor: 'lease', id: farm.id, message: { type: 'service.stopping' } }, resolve);
          }),
      );
      await Promise.all(said);
    },
    stop: async () => {
      clearInterval(measuring);
      await bus.close();
      await host.idle();
      host.stop();
      mainThread.close();
      store.close();
      await reader.close();
    },
  };
  exposeControl(control, options.controlPort);
  main.on('message', (command: ShardCommand) => {
    if (command.type === 'capacity-freed') wakeLocalFarms(command.slot);
    else if (command.type === 'submit-large') host.post(submissionIn(command));
    else for (const envelope of command.envelopes) host.post(envelope);
  });
  for (const envelope of recoverActors(reader, ownsFarm, options.index === 0)) host.post(envelope);
}

function submissionIn({ farm, submission, plan, replyTo }: LargeCommand): ServiceEnvelope {
  const whole = { ...submission, plan: joinPlan(plan) };
  return { actor: 'farm', id: farm, message: { type: 'job.submit', submission: whole, replyTo } };
}

/** Does one thing and then another, and holds nothing but them. */
const inTurn =
  (first: () => void, second: () => void): (() => void) =>
  () => {
    first();
    second();
  };

/** The shards of a set of bits. */
function shardsOf(bits: bigint, count: number): readonly number[] {
  return Array.from({ length: count }, (_, shard) => shard).filter(
    (shard) => ((bits >> BigInt(shard)) & 1n) === 1n,
  );
}
