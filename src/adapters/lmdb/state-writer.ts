import { jobId, type JobId } from '../../core/ids.ts';
import type { AppliedMark } from '../../core/ports/journal.ts';
import { keys } from '../../core/records/tables.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { EncodedChangeSet } from './change-set-codec.ts';
import { applyChange } from './apply-change.ts';
import { estimateWriteBytes, TRANSACTION_OVERHEAD_BYTES } from './estimate-write-bytes.ts';
import { keyBytes } from './key-bytes.ts';
import { latestRows } from './latest-rows.ts';
import { openStateTables, replayJournal } from './replay-journal.ts';
import { putAppliedMark, readAppliedMark } from './store-format.ts';
import { scanRows } from './table-scan.ts';
import { openWriterEnvironment, type DiskLimits, type WriterOptions } from './writer-environment.ts';

const MIB = 2 ** 20;

export const STATE_DISK_LIMITS: DiskLimits = {
  reserveBytes: 128 * MIB,
  lowBytes: 512 * MIB,
  okBytes: 640 * MIB,
};

type Changes = Pick<EncodedChangeSet, 'changes'>;

export interface ApplyOptions {
  /** Row of the journal that belongs to these sets. */
  readonly mark?: AppliedMark | null;
  /** Sum of what `reserve` returned for these sets. Without it, their space is reserved now. */
  readonly reservedBytes?: number;
}

/** The single writer of the tables of the state store. */
export interface StateWriter {
  readonly storeId: string;
  /**
   * Reserves space in the tables for sets that are applied later, and returns its size in bytes. Ends the process if the
   * disk is full.
   */
  reserve(sets: readonly Changes[]): number;
  /** Like `reserve`, but returns null if the disk is full. */
  tryReserve(sets: readonly Changes[]): number | null;
  /**
   * Applies the sets as one transaction: on disk and readable when this returns. Ends the process if it cannot. Sets
   * that passed through the journal must be applied in its order.
   */
  apply(sets: readonly Changes[], options?: ApplyOptions): void;
  /** Returns the jobs whose rows are stored and that are not created. */
  provisionalJobs(): readonly JobId[];
  /** Reports whether the job is one of them. */
  isProvisional(job: JobId): boolean;
  /** Returns the value of a row that `apply` has written with its changes; null without one. */
  appliedMark(key: string): string | null;
  /** Reports whether no table has a row. */
  isEmpty(): boolean;
  diskState(): DiskState;
  close(): Promise<void>;
}

/**
 * Opens the state store for writing; creates it if the directory is empty. Replays the journal of the previous writer.
 * Throws `StoreOpenError`.
 */
export async function openStateWriter(options: WriterOptions): Promise<StateWriter> {
  const { directory, endProcess } = options;
  const environment = await openWriterEnvironment('state', options);
  const { storeId, root, meta } = environment;
  const hasRoom = (bytes: number): boolean => environment.hasRoom(bytes);
  try {
    replayJournal({ environment: root, directory, storeId, hasRoom });
  } catch (error) {
    await environment.close();
    throw error;
  }
  const tables = openStateTables(root);
  /** Bytes reserved for sets that are not applied yet. */
  let reservedBytes = 0;

  const tryReserve = (sets: readonly Changes[]): number | null => {
    const room = estimateWriteBytes(sets);
    if (!hasRoom(reservedBytes + room)) return null;
    const bytes = room - TRANSACTION_OVERHEAD_BYTES;
    reservedBytes += bytes;
    return bytes;
  };
  const reserve = (sets: readonly Changes[]): number =>
    tryReserve(sets) ??
    endProcess({
      kind: 'disk-full',
      detail: `${reservedBytes + estimateWriteBytes(sets)} bytes are needed in ${directory} and the disk is full`,
    });

  return {
    storeId,
    reserve,
    tryReserve,
    apply(sets, { mark = null, reservedBytes: reserved = reserve(sets) } = {}) {
      const latest = latestRows(sets);
      environment.transact(() => {
        for (const change of latest) applyChange(tables[change.table], change);
        if (mark !== null) putAppliedMark(meta, mark);
      });
      reservedBytes -= reserved;
    },
    provisionalJobs: () => [...scanRows(tables.comingJob)].map(({ key }) => jobId(key)),
    isProvisional: (job) => tables.comingJob.doesExist(keyBytes(keys.comingJob(job))),
    appliedMark: (key) => readAppliedMark(meta, key),
    isEmpty: () => Object.values(tables).every((table) => table.getKeysCount({ limit: 1 }) === 0),
    diskState: () => environment.diskState(),
    close: () => environment.close(),
  };
}
