import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import { keys, type TableName } from '../../core/records/tables.ts';
import type { EncodedChange } from './change-set-codec.ts';
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

/** Returns the changes that remove the rows of a job which will not be created. */
export const removalOf = (job: JobId): readonly EncodedChange[] => [
  removeOf('plan', keys.plan(job)),
  removeOf('template', keys.template(job)),
  removeOf('comingJob', keys.comingJob(job)),
];

const removeOf = (table: TableName, key: string): EncodedChange => ({
  op: 'remove',
  table,
  key: keyBytes(key),
  value: new Uint8Array(),
});
