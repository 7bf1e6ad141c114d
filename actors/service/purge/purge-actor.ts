/**
 * States: rows left (a full batch), rows deleted (logs are deleted next), done (`doomedJob` is removed). Invariants:
 * the actor exists while the job has its `doomedJob` row; every message may be repeated. Exits: `purge.logs-deleted`
 * removes that row.
 */

import { jobId, type FarmId, type JobId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { remove } from '../../../src/core/records/change-set.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import { attemptOfKey, keys, type TableName } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSystem } from '../service-system.ts';

/** Maximum number of rows that one batch of a purge adds to a commit. */
export const PURGE_ROWS = 2_000;

/** Tables besides `attempt` in which a job may have millions of rows. */
const BULK_TABLES = [
  'taskOutput',
  'taskText',
  'taskRules',
  'stepFailures',
  'taskPage',
] as const satisfies readonly TableName[];

interface PurgedRow {
  readonly table: TableName;
  readonly key: string;
}

/** The next batch of a purge. It is read when the actor is loaded, and the actor lasts for one batch. */
interface PurgeState {
  readonly jobId: JobId;
  readonly farmId: FarmId;
  readonly piece: readonly PurgedRow[];
  /** Whether rows may remain after the piece. */
  readonly isFull: boolean;
}

function loadPurge(id: string, reader: StoreReader): PurgeState | null {
  const doomed = reader.get('doomedJob', id);
  if (doomed === undefined) return null;
  const job = jobId(id);
  const prefix = keys.bulkOf(job);
  // Each attempt may take two rows of the batch.
  const attempts = [...reader.scan('attempt', { prefix, limit: PURGE_ROWS / 2 })];
  const piece = attempts.flatMap(({ key, value }) => [...indexEntryOf(key, value), attemptRow(key)]);
  let isFull = attempts.length === PURGE_ROWS / 2;
  for (const table of BULK_TABLES) {
    if (isFull) break;
    const limit = PURGE_ROWS - piece.length;
    for (const { key } of reader.scan(table, { prefix, limit })) piece.push({ table, key });
    isFull = piece.length === PURGE_ROWS;
  }
  return { jobId: job, farmId: doomed.farmId, piece, isFull };
}

const attemptRow = (key: string): PurgedRow => ({ table: 'attempt', key });

/** Returns the entry of the index by worker that begins with an attempt. Most attempts have one. */
function indexEntryOf(key: string, { workerId, endedAt }: AttemptRecord): PurgedRow[] {
  // An attempt of an earlier version that was open when its job was deleted.
  if (endedAt === undefined) return [];
  return [{ table: 'workerAttempt', key: keys.workerAttempt(workerId, endedAt, attemptOfKey(key)) }];
}

/**
 * The purge actor deletes the rows that remain of a deleted job (docs/decisions/deletion.md). It requests the next
 * batch by a message that is delivered after the commit, when the actor has been evicted, so that it is loaded with the
 * next batch. All messages are idempotent.
 */
export function purgeActor(): ActorDefinition<ServiceSystem, 'purge', PurgeState> {
  return {
    kind: 'purge',
    load: loadPurge,
    isEvictable: () => true,
    onMissing: () => null,
    handlers: {
      'purge.next': ({ jobId: id, farmId, piece, isFull }, message, context) => {
        for (const { table, key } of piece) context.change(remove(table, key));
        if (!isFull) context.effect({ kind: 'delete-logs', jobId: id, farmId });
        else context.effect({ kind: 'forward', envelope: { actor: 'purge', id, message } });
      },
      'purge.logs-deleted': (state, _message, context) => {
        context.change(remove('doomedJob', keys.doomedJob(state.jobId)));
      },
    },
  };
}
