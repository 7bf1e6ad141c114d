import { encodeChangeSet, readChangeSet } from '../../src/adapters/lmdb/change-set-codec.ts';
import { openStateWriter, STATE_DISK_LIMITS } from '../../src/adapters/lmdb/state-writer.ts';
import { farmId, queueId, type FarmId, type QueueId } from '../../src/core/ids.ts';
import { put, type Change } from '../../src/core/records/change-set.ts';
import { keys } from '../../src/core/records/tables.ts';

const QUEUES = 10;
const CHANGES_AT_ONCE = 8_000;

/** A store that is filled before a service starts on it, with the writer of the service and without submissions. */
export interface SeededStore {
  /** Accepts changes. Many of them become one commit. */
  readonly write: (...changes: readonly Change[]) => void;
  /** Commits the remaining changes and closes the store. */
  close(): Promise<void>;
}

/** Creates the store in a directory. Throws if it cannot be written. */
export async function openLaidOutStore(directory: string): Promise<SeededStore> {
  const writer = await openStateWriter({
    directory,
    softwareVersion: 'bench',
    disk: STATE_DISK_LIMITS,
    endProcess: ({ kind, detail }) => {
      throw new Error(`${kind}: ${detail}`);
    },
    warn: (text) => process.stderr.write(`${text}\n`),
  });
  let sequence = 0;
  let changes: Change[] = [];
  const flush = (): void => {
    sequence += 1;
    writer.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence, changes }))]);
    changes = [];
  };
  return {
    write: (...more) => {
      changes.push(...more);
      if (changes.length >= CHANGES_AT_ONCE) flush();
    },
    async close() {
      flush();
      await writer.close();
    },
  };
}

/** A farm and its queues. */
export interface LaidOutFarm {
  readonly farm: FarmId;
  /** Returns the queue of a job by its number: each has every tenth job. */
  readonly queueOf: (nth: number) => QueueId;
  readonly queues: readonly QueueId[];
}

/** Writes a farm with ten queues and no caps, created at `at` (milliseconds since the epoch). */
export function seedFarm(store: SeededStore, newId: () => string, at: number): LaidOutFarm {
  const farm = farmId(newId());
  const queues = Array.from({ length: QUEUES }, () => queueId(newId()));
  const stamp = {
    version: 1,
    description: '',
    maxConcurrentTasks: 0,
    retry: {},
    createdAt: at,
    updatedAt: at,
  } as const;
  store.write(put('farm', keys.farm(farm), { ...stamp, id: farm, name: 'bench' }));
  for (const [nth, id] of queues.entries())
    store.write(
      put('queue', keys.queue(id), {
        ...stamp,
        id,
        farmId: farm,
        name: `queue-${nth}`,
        priority: 0,
        paused: false,
      }),
    );
  return { farm, queues, queueOf: (nth) => queues[nth % QUEUES] ?? queueId('') };
}
