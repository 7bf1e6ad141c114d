import { randomUUID } from 'node:crypto';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import type { StoreThread } from '../../src/adapters/lmdb/store-thread-host.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import type { FollowedMemory } from '../../src/adapters/system/followed-jobs.ts';
import type { TallyMemory } from '../../src/adapters/system/shared-tallies.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import type { Share } from '../../src/core/lease/committed-shares.ts';
import { eventsOf, type EventBatch } from '../../src/core/wire/event-batch.ts';
import type { BusLog } from '../process/bus-log.ts';
import { failStop } from '../process/fail-stop.ts';
import type { Logger } from '../process/logging.ts';
import { storeDirectory } from '../maintenance/data-directory.ts';
import type { LogThread } from './log-thread.ts';
import type { ServiceMetrics } from './metrics.ts';
import { Shards } from './shards.ts';
import type { TaskEventHub } from './task-events.ts';
import { tasksSubject, type EventHub } from '../../http/ws/hub.ts';

/** What is done about failures where no farm, queue or job says otherwise. */
export const retryOf = ({ scheduler }: ServerConfig) => ({
  maxAttempts: scheduler.maxAttempts,
  retryDelaySeconds: scheduler.retryDelaySeconds,
  failureLimit: scheduler.failureLimit,
});

interface ShardEventSinks {
  readonly logger: Logger;
  readonly busLog: BusLog;
  readonly taskEvents: TaskEventHub;
  readonly events: EventHub;
  readonly metrics: ServiceMetrics;
  readonly logThread: LogThread;
}

/** Memory that all shards share, and what the farms have counted in it at the start. */
interface Shared {
  readonly tallies: TallyMemory;
  readonly shares: readonly Share[];
  readonly followed: FollowedMemory;
}

/** Starts a thread for each shard, and hands on what they tell. */
export function startShards(
  config: ServerConfig,
  servers: ServerList,
  store: StoreThread,
  reader: StateReader,
  { logger, busLog, taskEvents, events, metrics, logThread }: ShardEventSinks,
  directory: string,
  { tallies, shares, followed }: Shared,
): Shards {
  /** Tells whoever follows events in this process, or from outside, of what is committed by now. */
  const tell = (batches: readonly EventBatch[]): void => {
    const isFollowedHere = taskEvents.hasListeners;
    if (isFollowedHere && batches.length > 0) reader.refresh();
    for (const batch of batches) {
      // Shards may say what nobody follows: it is not even read.
      const isWanted =
        batch.subject !== 'tasks' ||
        taskEvents.watches(batch.jobId) ||
        events.find(tasksSubject(batch.jobId)) !== undefined;
      if (!isWanted) continue;
      const said = eventsOf(batch);
      events.publish(said);
      if (isFollowedHere) for (const event of said) taskEvents.publishDomain(event);
    }
  };
  return new Shards(
    {
      count: config.scheduler.shards,
      stateDirectory: storeDirectory(directory, 'state'),
      bus: servers,
      heartbeatTimeoutMs: config.scheduler.heartbeatTimeoutMs,
      retry: retryOf(config),
      unschedulableGraceMs: config.scheduler.unschedulableGraceMs,
      reservationAfterMs: config.scheduler.reservationAfterMs,
      exprMemoryBytes: config.openjd.exprMemoryBytes,
      serviceId: randomUUID(),
      attemptFloor: reader.attemptFloor(),
      tallies,
      shares,
      followed,
      retention: {
        afterMs: config.scheduler.jobRetentionMs,
        includeFailed: config.scheduler.jobRetentionIncludeFailed,
      },
    },
    (shard) => store.attachShard(shard),
    reader,
    {
      noticed: (shard, notice) => {
        switch (notice.type) {
          case 'log':
            logger[notice.level](notice.attributes, notice.text);
            return;
          case 'bus':
            busLog.note(`shard ${shard}`, notice.event);
            return;
          case 'outbox':
            for (const count of notice.counts) metrics.count(count);
            tell(notice.events);
            return;
          case 'measured':
            metrics.measured(shard, notice.measures);
            return;
          case 'capacity-freed':
        }
      },
      forgetLogs: (job) => logThread.forget(job),
      broken: (shard, error) => failStop(logger, `shard ${shard} is gone`, error),
    },
  );
}
