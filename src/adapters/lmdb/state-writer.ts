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

/** Pages written by removing a provisional job: three rows. */
const BYTES_PER_PROVISIONAL_JOB = 3 * BYTES_PER_CHANGE;

/** Upper bound of a writer's first epoch. */
const FIRST_EPOCHS = 2 ** 47;

/** The single writer of the state store: it only applies change sets. */
export interface StateWriter {
  readonly storeId: string;
  /**
   * Appends the sets to the journal. Returns true once they are on disk; they are readable after the next `apply`.
   * Returns false if the journal is full or missing: then they must be applied. Ends the process if it cannot write.
   */
  append(sets: readonly EncodedChangeSet[]): boolean;
  /** Sets that are on disk, and readable after the next `apply`. */
  readonly appended: readonly EncodedChangeSet[];
  /**
   * Applies the appended sets and then these sets, as one transaction: on disk and readable when this returns. Ends the
   * process if it cannot.
   */
  apply(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): void;
  /**
   * Removes the rows of a provisional job, on disk when this returns. Does nothing if the job exists. While the disk is
   * full the next start does it.
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
 * Opens the state store for writing; creates it if the directory is empty. Replays the journal of the previous writer,
 * and removes provisional jobs that were not created. Throws `StoreOpenError`.
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
    // No write may meet a full disk, and these rows do no harm: the next start removes them.
    if (jobs.length === 0 || !hasRoom(TRANSACTION_OVERHEAD_BYTES + jobs.length * BYTES_PER_PROVISIONAL_JOB))
      return;
    environment.transact(() => jobs.forEach((job) => discardProvisionalJob(tables, job)));
  };
  removeAll([...scanRows(tables.comingJob)].map(({ key }) => jobId(key)));
  let journal: Journal | null = null;
  if (hasRoom(TRANSACTION_OVERHEAD_BYTES)) {
    // The records of the last epoch may end with a write that was never acknowledged. A random epoch cannot be
    // predicted by anyone who chooses the payloads.
    epoch = randomInt(FIRST_EPOCHS);
    environment.transact(() => putJournalEpoch(meta, epoch));
    journal = journalOf(options, storeId, epoch);
  } else options.warn(withoutJournal(directory));
  let appended: EncodedChangeSet[] = [];
  /** Set if the journal may contain records of this epoch. */
  let isBegun = false;

  /** Bytes of pages of the appended sets. */
  let appendedRoom = 0;

  /** Reserves space for the appended and these sets in one transaction, and returns its size. */
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
      // The tables must have space later for every set acknowledged now.
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

/** Returns null if the disk has no space for a journal: then every set is applied immediately. */
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
