import { randomInt } from 'node:crypto';
import { jobId, type JobId } from '../../core/ids.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { EncodedChangeSet } from './change-set-codec.ts';
import { applyChange } from './apply-change.ts';
import { discardProvisionalJob } from './provisional-jobs.ts';
import { isFull, JOURNAL_BYTES, openJournal, type Journal } from './journal.ts';
import { latestRows } from './latest-rows.ts';
import { putJournalEpoch, StoreOpenError } from './store-format.ts';
import { TRANSACTION_OVERHEAD_BYTES, estimateWriteBytes, BYTES_PER_CHANGE } from './estimate-write-bytes.ts';
import { scanRows } from './table-scan.ts';
import { openStateTables, replayJournal } from './replay-journal.ts';
import { openWriterEnvironment, type DiskLimits, type WriterOptions } from './writer-environment.ts';

const MIB = 2 ** 20;

export const STATE_DISK_LIMITS: DiskLimits = {
  reserveBytes: 128 * MIB,
  lowBytes: 512 * MIB,
  okBytes: 640 * MIB,
};

/** What is removed of a job that does not come: three rows. */
const BYTES_PER_PROVISIONAL_JOB = 3 * BYTES_PER_CHANGE;

/** The first epoch of a writer is below it. */
const FIRST_EPOCHS = 2 ** 47;

/** The one writer of the state store: it applies change sets and does nothing else. */
export interface StateWriter {
  readonly storeId: string;
  /**
   * Writes the sets to the journal: on disk when this gives true, and to be read after the next `apply`. False when the journal has no
   * room for them, or there is none: then they are to be applied. Ends the process when it cannot write.
   */
  append(sets: readonly EncodedChangeSet[]): boolean;
  /** Sets that are on disk, and are to be read after the next `apply`. */
  readonly appended: readonly EncodedChangeSet[];
  /**
   * Applies what was appended since the last time, and then these sets, as one transaction: on disk and readable when this returns. Ends the process when
   * it cannot.
   */
  apply(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): void;
  /**
   * Removes what was stored ahead of a job that does not come, on disk when this returns. Nothing when the job is there. While the disk is full
   * it is left to the next start.
   */
  discardProvisionalJob(job: JobId): void;
  diskState(): DiskState;
  close(): Promise<void>;
}

export interface StateWriterOptions extends WriterOptions {
  /** Size of the journal's file. */
  readonly journalBytes?: number;
}

/**
 * Opens the state store for writing; makes it when the directory is empty. What the journal held when the last writer ended is brought into the tables, and
 * what was stored of jobs that were not made is removed. Throws `StoreOpenError`.
 */
export async function openStateWriter(options: StateWriterOptions): Promise<StateWriter> {
  const { directory, endProcess } = options;
  const environment = await openWriterEnvironment('state', options);
  const { storeId, root, meta } = environment;
  const hasRoom = (bytes: number): boolean => environment.hasRoom(bytes);
  let epoch: number;
  try {
    epoch = replayJournal({ environment: root, directory, storeId, hasRoom });
  } catch (error) {
    await environment.close();
    throw error;
  }
  const tables = openStateTables(root);
  const removeAll = (jobs: readonly JobId[]): void => {
    // No write may meet a full disk, and these are in nobody's way: the next start removes what is left.
    if (jobs.length === 0 || !hasRoom(TRANSACTION_OVERHEAD_BYTES + jobs.length * BYTES_PER_PROVISIONAL_JOB))
      return;
    environment.transact(() => jobs.forEach((job) => discardProvisionalJob(tables, job)));
  };
  removeAll([...scanRows(tables.comingJob)].map(({ key }) => jobId(key)));
  let journal: Journal | null = null;
  if (hasRoom(TRANSACTION_OVERHEAD_BYTES)) {
    // What is left of the last epoch may be the end of a write that nobody was told of. Its number cannot be foretold by whoever chooses what is recorded.
    epoch = randomInt(FIRST_EPOCHS);
    environment.transact(() => putJournalEpoch(meta, epoch));
    journal = journalOf(options, storeId, epoch);
  } else options.warn(withoutJournal(directory));
  let appended: EncodedChangeSet[] = [];
  /** Whether anything may stand in the journal that is of this epoch. */
  let isBegun = false;

  /** Pages of what was appended. */
  let appendedRoom = 0;

  /** Makes room for what was appended and these sets in one transaction; gives how much that is. */
  const makeRoom = (sets: readonly Pick<EncodedChangeSet, 'changes'>[]): number => {
    const room = appendedRoom + estimateWriteBytes(sets);
    if (!hasRoom(room))
      endProcess({
        kind: 'disk-full',
        detail: `${room} bytes are needed in ${directory} and the disk is full`,
      });
    return room;
  };

  return {
    storeId,
    get appended() {
      return appended;
    },
    append(sets) {
      if (journal === null) return false;
      // What is acknowledged now must find room in the tables later.
      const room = makeRoom(sets);
      isBegun = true;
      try {
        if (!journal.append(sets)) return false;
      } catch (error) {
        endProcess({
          kind: 'commit-failed',
          detail: `the journal in ${directory} failed: ${describe(error)}`,
        });
      }
      appended.push(...sets);
      appendedRoom = room - TRANSACTION_OVERHEAD_BYTES;
      return true;
    },
    apply(sets) {
      makeRoom(sets);
      const latest = latestRows([...appended, ...sets]);
      environment.transact(() => {
        for (const change of latest) applyChange(tables[change.table], change);
        if (isBegun) putJournalEpoch(meta, epoch + 1);
      });
      appended = [];
      appendedRoom = 0;
      if (!isBegun) return;
      isBegun = false;
      epoch++;
      journal?.begin(epoch);
    },
    discardProvisionalJob: (job) => removeAll([job]),
    diskState: () => environment.diskState(),
    async close() {
      journal?.close();
      await environment.close();
    },
  };
}

/** Null when the disk has no room for one: then every set is applied at once. */
function journalOf(
  { directory, journalBytes = JOURNAL_BYTES, warn }: StateWriterOptions,
  storeId: string,
  epoch: number,
): Journal | null {
  try {
    return openJournal(directory, storeId, journalBytes, epoch);
  } catch (error) {
    if (!isFull(error)) throw new StoreOpenError(directory, describe(error), { cause: error });
    warn(withoutJournal(directory));
    return null;
  }
}

const withoutJournal = (directory: string): string =>
  `the disk has no room for a journal in ${directory}: leases are slower until the next start`;

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
