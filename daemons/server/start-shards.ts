import { randomUUID } from 'node:crypto';
import type { WebhookOrder } from '../../actors/service/gateway/outbox-batch.ts';
import { SharedStanding, type StandingMemory } from '../../src/adapters/cluster/standing.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import type { StoreThread } from '../../src/adapters/lmdb/store-thread-host.ts';
import type { BusIdentityRule } from '../../src/adapters/nats/service-bus.ts';
import { presenceMemory } from '../../src/adapters/system/shared-presence.ts';
import { tallyMemory, type TallyMemory } from '../../src/adapters/system/shared-tallies.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import { committedShares } from '../../src/core/lease/committed-shares.ts';
import type { EventBatch } from '../../src/core/wire/event-batch.ts';
import { failStop } from '../process/fail-stop.ts';
import { storeDirectory } from '../maintenance/data-directory.ts';
import type { ShardNotice } from '../threads/shard-protocol.ts';
import type { LogThread } from './log-thread.ts';
import type { Observers } from './observers.ts';
import type { OpenedBus } from './open-bus.ts';
import { publishEvents } from './publish-events.ts';
import { Shards, type ShardSettings } from './shards.ts';
import type { LaunchShard } from './shard-workers.ts';
import type { StartContext } from './start-context.ts';

/** The retry policy of the configuration, for farms, queues and jobs without their own. */
export const retryOf = ({ scheduler }: ServerConfig) => ({
  maxAttempts: scheduler.maxAttempts,
  retryDelaySeconds: scheduler.retryDelaySeconds,
  failureLimit: scheduler.failureLimit,
});

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns how the bus identifies itself to workers, if its "no responders" may count as contact. The managed server keeps
 * its name, so its bus changes only when an operator moves the service. An external server has a new id after every
 * restart, and the tasks of a worker that does not return after that wait for this time (docs/decisions/outages.md).
 */
function busIdentityOf({ bus }: ServerConfig): BusIdentityRule | null {
  if (!bus.isSingleServer) return null;
  const isManaged = bus.urls.length === 0;
  return isManaged ? { field: 'name', limitMs: 30 * DAY_MS } : { field: 'id', limitMs: 60 * MINUTE_MS };
}

/** Parts of the service that the shards use. */
interface ShardDeps {
  readonly bus: OpenedBus;
  /** Starts the thread of a shard. */
  readonly launch: LaunchShard;
  readonly store: StoreThread;
  readonly reader: StateReader;
  readonly observers: Observers;
  readonly logThread: LogThread;
  /** Proof of the identity of a worker on the bus. */
  readonly workerIdentity: ShardSettings['workerIdentity'];
  /** The bus must refuse other keys of workers than before. */
  readonly refusedKeysChanged: () => void;
  /** Sends a delivery of a webhook. */
  readonly sendWebhook: (order: WebhookOrder) => void;
  /** The standing of this node in its cluster; null on a single node. */
  readonly standing: StandingMemory | null;
  /** Receives the events of committed windows, for the other nodes of a cluster; null for a single node. */
  readonly publishToNodes: ((batches: readonly EventBatch[]) => void) | null;
}

export interface StartedShards {
  readonly shards: Shards;
  /** Counts that all shards share, by slot. */
  readonly tallies: TallyMemory;
}

/** Starts the thread of each shard and forwards its notices to the observers. */
export function startShards(context: StartContext, deps: ShardDeps): StartedShards {
  const { logger, shutdown } = context;
  const { bus, store, reader, observers, logThread, workerIdentity, refusedKeysChanged, sendWebhook } = deps;
  const { standing, publishToNodes, launch } = deps;
  const shares = committedShares(reader);
  const tallies = tallyMemory(shares);
  const shards = new Shards(
    {
      ...settingsOf(context, reader.attemptFloor()),
      bus: bus.requests,
      busStreams: bus.streams,
      isBusScoped: bus.isScoped,
      workerIdentity,
      tallies,
      shares,
      standing,
      epoch: standing === null ? null : new SharedStanding(standing).read().epoch,
      followed: observers.followed,
      webhookPresence: presenceMemory([...reader.scan('webhook', { limit: 1 })].length > 0),
    },
    launch,
    (shard) => store.attachShard(shard),
    reader,
    {
      noticed: (shard, notice) => {
        handleNotice(shard, notice, context, observers, reader);
        if (notice.type !== 'outbox') return;
        publishToNodes?.(notice.events);
        if (notice.busNotices.length > 0) refusedKeysChanged();
        for (const order of notice.webhookOrders) sendWebhook(order);
      },
      deleteLogs: (job) => logThread.forget(job),
      broken: (shard, error) => failStop(logger, `shard ${shard} has ended`, error),
    },
  );
  shutdown.add('bus', () => shards.stop());
  shutdown.add('scheduler', () => shards.stopLeasing());
  return { shards, tallies };
}

/** Settings of the shards from the configuration. */
function settingsOf(
  { config, directory }: StartContext,
  attemptFloor: number,
): Omit<
  ShardSettings,
  | 'bus'
  | 'busStreams'
  | 'isBusScoped'
  | 'workerIdentity'
  | 'tallies'
  | 'shares'
  | 'followed'
  | 'standing'
  | 'epoch'
  | 'webhookPresence'
> {
  const { scheduler, openjd, auth, webhooks } = config;
  return {
    count: scheduler.shards,
    stateDirectory: storeDirectory(directory, 'state'),
    heartbeatTimeoutMs: scheduler.heartbeatTimeoutMs,
    reclaimAfterMs: scheduler.reclaimAfterMs,
    busIdentity: busIdentityOf(config),
    busReplicas: config.bus.replicas,
    retry: retryOf(config),
    unschedulableGraceMs: scheduler.unschedulableGraceMs,
    reservationAfterMs: scheduler.reservationAfterMs,
    exprMemoryBytes: openjd.exprMemoryBytes,
    serviceId: randomUUID(),
    attemptFloor,
    retention: {
      afterMs: scheduler.jobRetentionMs,
      includeFailed: scheduler.jobRetentionIncludeFailed,
    },
    audit: auth.audit,
    webhooks: {
      retryForMs: webhooks.retryForMs,
      poolExhaustedAfterMs: webhooks.poolExhaustedAfterMs,
    },
    workers: { perFarm: scheduler.maxWorkersPerFarm, retentionMs: scheduler.workerRetentionMs },
  };
}

function handleNotice(
  shard: number,
  notice: ShardNotice,
  { logger }: StartContext,
  observers: Observers,
  reader: StateReader,
): void {
  switch (notice.type) {
    case 'log':
      logger[notice.level](notice.attributes, notice.text);
      return;
    case 'bus':
      observers.busLog.note(`shard ${shard}`, notice.event);
      if (notice.event.type === 'refused') observers.metrics.refused(notice.event);
      return;
    case 'outbox':
      for (const count of notice.counts) observers.metrics.count(count);
      publishEvents(notice.events, observers, reader);
      return;
    case 'measured':
      observers.metrics.measured(shard, notice.measures);
      return;
    case 'capacity-freed':
  }
}
