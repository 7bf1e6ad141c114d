import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { constants as system } from 'node:os';
import { join } from 'node:path';
import { syncDirectory } from '../system/sync-file.ts';
import { readChangeSet, type EncodedChangeSet } from './change-set-codec.ts';
import {
  JOURNAL_HEADER_BYTES,
  journalHeader,
  readRecords,
  RECORD_HEADER_BYTES,
  storeOfJournal,
  writeRecord,
} from './journal-format.ts';
import { StoreOpenError } from './store-format.ts';

const { errno } = system;

const MIB = 2 ** 20;

/** Size of a journal's file: what a busy farm writes in some tenths of a second. */
export const JOURNAL_BYTES = 4 * MIB;

const FILE = 'journal.bin';
const PARTIAL = 'journal.partial';

/** Change sets that are on disk and not in the tables yet, in a file that is as large from the start and written from its beginning again and again. */
export interface Journal {
  /**
   * Writes the sets behind those of the epoch. They are on disk when this gives true; false when they do not fit, or the disk is full. Throws when the
   * file cannot be written for another cause.
   */
  append(sets: readonly EncodedChangeSet[]): boolean;
  /** All that it holds is in the tables, which are of this epoch now: nothing of it counts any more. */
  begin(epoch: number): void;
  close(): void;
}

/**
 * Opens the journal of a store, or makes it, for an epoch of which it holds nothing. A copy-on-write file system may refuse a write all
 * the same when it is full. Throws the error of the file system.
 */
export function openJournal(directory: string, storeId: string, bytes: number, epochNow: number): Journal {
  const path = join(directory, FILE);
  if (!existsSync(path)) make(directory, storeId, bytes);
  const file = openSync(path, constants.O_RDWR | constants.O_DSYNC);
  const scratch = Buffer.alloc(bytes - JOURNAL_HEADER_BYTES);
  let epoch = epochNow;
  let place = 0;
  /** Where the next record goes, behind the header. */
  let end = 0;
  return {
    append(sets) {
      let to = end;
      let next = place;
      for (const { encoded } of sets) {
        const room = RECORD_HEADER_BYTES + encoded.byteLength;
        if (to + room > scratch.length) return false;
        to = writeRecord(scratch, to, { epoch, place: next, bytes: new Uint8Array(encoded) });
        next++;
      }
      try {
        for (let at = end; at < to;) at += writeSync(file, scratch, at, to - at, JOURNAL_HEADER_BYTES + at);
      } catch (error) {
        if (isFull(error)) return false;
        throw error;
      }
      end = to;
      place = next;
      return true;
    },
    begin(next) {
      epoch = next;
      place = 0;
      end = 0;
    },
    close: () => closeSync(file),
  };
}

/**
 * The change sets of an epoch that the journal of a store holds, in their order; none when there is no journal. Throws `StoreOpenError` when
 * the journal cannot be read, is damaged, or is that of another store.
 */
export function readJournal(directory: string, storeId: string, epoch: number): readonly EncodedChangeSet[] {
  const path = join(directory, FILE);
  if (!existsSync(path)) return [];
  const file = orStoreError(directory, 'cannot be read', () => readFileSync(path));
  const owner = storeOfJournal(file);
  if (owner === null) throw new StoreOpenError(directory, `its journal ${FILE} is damaged`);
  if (owner !== storeId) throw new StoreOpenError(directory, `the journal ${FILE} is that of another store`);
  const records = readRecords(file, epoch);
  return orStoreError(directory, 'holds what is no change set', () => records.map(readChangeSet));
}

function orStoreError<T>(directory: string, fault: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreOpenError(directory, `its journal ${FILE} ${fault}: ${why}`, { cause: error });
  }
}

/** All of the file is written and flushed before it gets its name, so that no later write has to find it a block. */
function make(directory: string, storeId: string, bytes: number): void {
  const partial = join(directory, PARTIAL);
  const whole = Buffer.alloc(bytes);
  journalHeader(storeId).copy(whole);
  try {
    writeWhole(partial, whole);
  } catch (error) {
    // What there is of it would keep others from writing to a full disk.
    rmSync(partial, { force: true });
    throw error;
  }
  renameSync(partial, join(directory, FILE));
  syncDirectory(directory);
}

function writeWhole(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether the error says that the disk, or the user's share of it, is full. Node has no name for the second. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  'errno' in error &&
  (error.errno === -errno.ENOSPC || error.errno === -errno.EDQUOT);
