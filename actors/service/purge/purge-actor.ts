/**
 * States: rows left (a full batch), rows deleted (logs are deleted next), done (`doomedJob` is removed). Invariants:
 * the actor exists while the job has its `doomedJob` row; every message may be repeated. Exits: `purge.logs-deleted`
 * removes that row.
 */

import { jobId, type FarmId, type JobId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { remove } from '../../../src/core/records/change-set.ts';
import { keys, type TableName } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSystem } from '../service-system.ts';

/** Maximum number of rows that one batch of a purge adds to a commit. */
export const PURGE_ROWS = 2_000;

/** Tables in which a job may have millions of rows. */
const BULK_TABLES = [
  'attempt',
  'taskOutput',
  'taskText',
  'stepFailures',
  'taskPage',
] as const satisfies readonly TableName[];

/** The next batch of a purge. It is read when the actor is loaded, and the actor lasts for one batch. */
interface PurgeState {
  readonly jobId: JobId;
  readonly farmId: FarmId;
  readonly piece: readonly { readonly table: TableName; readonly key: string }[];
}

function loadPurge(id: string, reader: StoreReader): PurgeState | null {
  const doomed = reader.get('doomedJob', id);
  if (doomed === undefined) return null;
  const job = jobId(id);
  const piece: { table: TableName; key: string }[] = [];
  for (const table of BULK_TABLES) {
    const limit = PURGE_ROWS - piece.length;
    if (limit === 0) break;
    for (const { key } of reader.scan(table, { prefix: keys.bulkOf(job), limit })) piece.push({ table, key });
  }
  return { jobId: job, farmId: doomed.farmId, piece };
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
      'purge.next': ({ jobId: id, farmId, piece }, message, context) => {
        for (const { table, key } of piece) context.change(remove(table, key));
        if (piece.length < PURGE_ROWS) context.effect({ kind: 'delete-logs', jobId: id, farmId });
        else context.effect({ kind: 'forward', envelope: { actor: 'purge', id, message } });
      },
      'purge.logs-deleted': (state, _message, context) => {
        context.change(remove('doomedJob', keys.doomedJob(state.jobId)));
      },
    },
  };
}
