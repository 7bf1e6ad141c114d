import type { MessagePort } from 'node:worker_threads';
import { openStateReader, type StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { createStoreClient, type StoreClient } from '../../src/adapters/lmdb/store-client.ts';
import type { PreloadedJob } from '../../actors/service/job/job-actor.ts';
import { MainThreadPublisher } from './main-thread-publisher.ts';
import { ShardMeter } from './shard-meter.ts';
import { shardOfFarm } from './shard-of-farm.ts';
import type { BegunShard } from './standby/stand-by.ts';
import { SHARD_PROTOCOL_VERSION, type ShardNotice, type ShardOptions } from './shard-protocol.ts';

/** Parts of a shard on which its kernel and its bus connection are built. */
export interface ShardParts {
  readonly options: ShardOptions;
  readonly notify: (notice: ShardNotice) => void;
  /** Reports whether the farm belongs to this shard. */
  readonly ownsFarm: (farm: string) => boolean;
  readonly reader: StateReader;
  readonly store: StoreClient;
  readonly meter: ShardMeter;
  readonly publisher: MainThreadPublisher;
  /** Returns the state of a job that was loaded in standby; undefined if there is none. */
  readonly preloadedJob: PreloadedJob;
}

/** Opens the store for the shard, if it was not in standby, and counts what it holds of the shard's farms. */
export async function openParts(
  main: MessagePort,
  options: ShardOptions,
  begun: BegunShard | null,
): Promise<ShardParts> {
  const notify = (notice: ShardNotice): void => main.postMessage(notice);
  const ownsFarm = (farm: string): boolean => shardOfFarm(farm, options.count) === options.index;
  const reader = begun?.reader ?? (await openStateReader(options.stateDirectory));
  return {
    options,
    notify,
    ownsFarm,
    reader,
    store: createStoreClient(options.storePort),
    meter: new ShardMeter(reader, ownsFarm),
    publisher: new MainThreadPublisher((batch) =>
      notify({ v: SHARD_PROTOCOL_VERSION, type: 'outbox', ...batch }),
    ),
    preloadedJob: (id) => begun?.jobs.take(id),
  };
}
