import { jobId, type JobId } from '../../core/ids.ts';
import { TABLE_NAMES, type TableName } from '../../core/records/tables.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { EncodedChange, EncodedChangeSet } from './change-set-codec.ts';
import { removeComing } from './coming-jobs.ts';
import type { ByteDatabase } from './environment.ts';
import { removePrefixRows } from './remove-prefix.ts';
import { scanRows } from './table-scan.ts';
import { openWriterEnvironment, type DiskLimits, type WriterOptions } from './writer-environment.ts';

const MIB = 2 ** 20;

export const STATE_DISK_LIMITS: DiskLimits = {
  reserveBytes: 128 * MIB,
  lowBytes: 512 * MIB,
  okBytes: 640 * MIB,
};

/** Pages that any transaction may write beside its rows: branches of every table, the free list. */
const BASE_ROOM = 1 * MIB;
/** Pages that one change may touch: a leaf, and half of one that splits. */
const ROOM_PER_CHANGE = 2 * 4096;
/** What is removed of a job that does not come: three rows. */
const ROOM_PER_COMING_JOB = 3 * ROOM_PER_CHANGE;

/** The one writer of the state store: it applies change sets and does nothing else. */
export interface StateWriter {
  readonly storeId: string;
  /** Applies the sets, in order, as one transaction: on disk when this returns. Ends the process when it cannot. */
  apply(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): void;
  /**
   * Removes what was stored ahead of a job that does not come, on disk when this returns. Nothing when the job is there. While the disk is full
   * it is left to the next start.
   */
  removeComing(job: JobId): void;
  diskState(): DiskState;
  close(): Promise<void>;
}

/**
 * Opens the state store for writing; makes it when the directory is empty. What was stored of jobs that were not made when the last writer
 * ended is removed. Throws `StoreOpenError`.
 */
export async function openStateWriter(options: WriterOptions): Promise<StateWriter> {
  const environment = await openWriterEnvironment('state', options);
  const entries = TABLE_NAMES.map((name): [TableName, ByteDatabase] => [
    name,
    environment.openDatabase(name),
  ]);
  const tables = Object.fromEntries(entries) as Record<TableName, ByteDatabase>;
  const removeAll = (jobs: readonly JobId[]): void => {
    // No write may meet a full disk, and these are in nobody's way: the next start removes what is left.
    if (jobs.length === 0 || !environment.hasRoom(BASE_ROOM + jobs.length * ROOM_PER_COMING_JOB)) return;
    environment.transact(() => jobs.forEach((job) => removeComing(tables, job)));
  };
  removeAll([...scanRows(tables.comingJob)].map(({ key }) => jobId(key)));
  return {
    storeId: environment.storeId,
    apply(sets) {
      const room = roomFor(sets);
      if (!environment.hasRoom(room)) {
        options.endProcess({
          kind: 'disk-full',
          detail: `${room} bytes are needed in ${options.directory} and the disk is full`,
        });
      }
      environment.transact(() => {
        for (const set of sets) {
          for (const change of set.changes) applyChange(tables[change.table], change);
        }
      });
    },
    removeComing: (job) => removeAll([job]),
    diskState: () => environment.diskState(),
    close: () => environment.close(),
  };
}

function applyChange(database: ByteDatabase, { op, key, value }: EncodedChange): void {
  switch (op) {
    case 'put':
      database.putSync(key, value);
      return;
    case 'remove':
      database.removeSync(key);
      return;
    case 'removePrefix':
      removePrefixRows(database, key, Infinity);
  }
}

/** Bytes of pages that the sets may write, more rather than less. */
function roomFor(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): number {
  let room = BASE_ROOM;
  for (const { changes } of sets) {
    for (const { value } of changes) room += ROOM_PER_CHANGE + 2 * value.length;
  }
  return room;
}
