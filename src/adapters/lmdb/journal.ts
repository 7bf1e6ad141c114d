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
import type { EncodedSet } from '../../core/ports/journal.ts';
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

/** Size of a journal's file: the writes of a busy farm in some tenths of a second. */
export const JOURNAL_BYTES = 4 * MIB;

const FILE = 'journal.bin';
const PARTIAL = 'journal.partial';

/**
 * Change sets that are on disk but not yet in the tables. The file has a fixed size and is written from its beginning
 * again and again. A pass is the time from one beginning to the next, and has a number.
 */
export interface JournalFile {
  /**
   * Appends the sets to those of the pass. Returns true once they are on disk, or false if they do not fit or the disk
   * is full. Throws if the file cannot be written for another reason.
   */
  append(sets: readonly EncodedSet[]): boolean;
  /** Starts a pass: all previous content is in the tables, and no longer valid here. */
  begin(pass: number): void;
  close(): void;
}

/**
 * Opens or creates the journal of a store for a pass without records. A copy-on-write file system may refuse later
 * writes when it is full. Throws the error of the file system.
 */
export function openJournalFile(
  directory: string,
  storeId: string,
  bytes: number,
  passNow: number,
): JournalFile {
  const path = join(directory, FILE);
  if (!existsSync(path)) make(directory, storeId, bytes);
  const file = openSync(path, constants.O_RDWR | constants.O_DSYNC);
  const scratch = Buffer.alloc(bytes - JOURNAL_HEADER_BYTES);
  let pass = passNow;
  let place = 0;
  /** Offset of the next record; the first one is after the header. */
  let end = 0;
  return {
    append(sets) {
      let to = end;
      let next = place;
      for (const { encoded } of sets) {
        const room = RECORD_HEADER_BYTES + encoded.byteLength;
        if (to + room > scratch.length) return false;
        to = writeRecord(scratch, to, { pass, place: next, bytes: new Uint8Array(encoded) });
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
      pass = next;
      place = 0;
      end = 0;
    },
    close: () => closeSync(file),
  };
}

/**
 * Returns the change sets of a pass in the journal of a store, in order; none if there is no journal. Throws
 * `StoreOpenError` if the journal cannot be read, is damaged, or belongs to another store.
 */
export function readJournal(directory: string, storeId: string, pass: number): readonly EncodedChangeSet[] {
  const path = join(directory, FILE);
  if (!existsSync(path)) return [];
  const file = orStoreError(directory, 'cannot be read', () => readFileSync(path));
  const owner = storeOfJournal(file);
  if (owner === null) throw new StoreOpenError(directory, `its journal ${FILE} is damaged`);
  if (owner !== storeId) throw new StoreOpenError(directory, `the journal ${FILE} is that of another store`);
  const records = readRecords(file, pass);
  return orStoreError(directory, 'contains a record that is not a change set', () =>
    records.map(readChangeSet),
  );
}

function orStoreError<T>(directory: string, fault: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreOpenError(directory, `its journal ${FILE} ${fault}: ${why}`, { cause: error });
  }
}

/** The whole file is written and flushed before it gets its name, so that no later write needs to allocate a block. */
function make(directory: string, storeId: string, bytes: number): void {
  const partial = join(directory, PARTIAL);
  const whole = Buffer.alloc(bytes);
  journalHeader(storeId).copy(whole);
  try {
    writeWhole(partial, whole);
  } catch (error) {
    // The partial file would keep other writers from using the space of a full disk.
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

/** Reports whether the error means that the disk, or the user's quota, is full. Node has no name for the second. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  'errno' in error &&
  (error.errno === -errno.ENOSPC || error.errno === -errno.EDQUOT);
