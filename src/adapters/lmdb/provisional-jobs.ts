import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import { keys, type TableName } from '../../core/records/tables.ts';
import type { EncodedChange } from './change-set-codec.ts';
import type { ByteDatabase } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { encodeValue } from './value-encoder.ts';

/**
 * Large jobs are stored in pieces, each in its own commit, so that no commit of leases waits for all of their bytes
 * (docs/decisions/large-jobs.md). Until the job is created, a row of `comingJob` marks its other rows as provisional.
 */

/** Returns the commits that store such rows, in order. */
export function piecesOf(job: JobId, { template, plan }: LargeRows): readonly (readonly EncodedChange[])[] {
  const coming = new Uint8Array(encodeValue('comingJob', { version: 1 }));
  return [
    [putOf('comingJob', keys.comingJob(job), coming), putOf('template', keys.template(job), template)],
    [putOf('plan', keys.plan(job), plan)],
  ];
}

const putOf = (table: TableName, key: string, value: Uint8Array): EncodedChange => ({
  op: 'put',
  table,
  key: keyBytes(key),
  value,
});

/** Removes the rows of a job that is not created. Does nothing if the job exists. Must be called in a transaction. */
export function discardProvisionalJob(tables: Readonly<Record<TableName, ByteDatabase>>, job: JobId): void {
  const coming = keyBytes(keys.comingJob(job));
  if (!tables.comingJob.doesExist(coming)) return;
  tables.plan.removeSync(keyBytes(keys.plan(job)));
  tables.template.removeSync(keyBytes(keys.template(job)));
  tables.comingJob.removeSync(coming);
}
