import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryLockError, lockDirectory } from '../system/disk-lock.ts';
import { freeBytes } from '../system/disk-watermark.ts';
import { syncDirectory, syncFile } from '../system/sync-file.ts';
import { copyEnvironment, rowCounts } from './environment-copy.ts';
import { openExistingStore, assertStoreExists } from './existing-store.ts';
import { DATA_FILE, openEnvironment } from './environment.ts';
import { pageMeter } from './page-meter.ts';
import { StoreOpenError } from './store-format.ts';
import type { EnvironmentKind } from '../../core/ports/store.ts';

const PARTIAL = 'compact.partial';
/** Space that must stay free on the disk in addition to the new file. */
const MARGIN_BYTES = 64 * 2 ** 20;

export type Compaction =
  | { readonly done: true; readonly bytesBefore: number; readonly bytesAfter: number }
  /** The free share of the file is too small. */
  | { readonly done: false; readonly bytes: number; readonly freeShare: number };

/**
 * Rewrites the file of a store without its free pages, if at least this share of it is free (0: in any case). No
 * service may be running. One rename replaces the old file, so a killed process leaves either the old or the new one.
 * Throws `StoreOpenError`.
 */
export async function compactStore(
  directory: string,
  kind: EnvironmentKind,
  freeShareMin: number,
): Promise<Compaction> {
  assertStoreExists(directory);
  const writerLock = asStoreError(directory, () => lockDirectory(directory));
  try {
    return await compactLocked(directory, kind, freeShareMin);
  } finally {
    writerLock.release();
  }
}

async function compactLocked(
  directory: string,
  kind: EnvironmentKind,
  freeShareMin: number,
): Promise<Compaction> {
  const partial = join(directory, PARTIAL);
  rmSync(partial, { recursive: true, force: true });
  const { environment, format } = await openExistingStore(directory, kind);
  try {
    const { fileBytes, pageBytes, usedPages, freePages } = pageMeter(environment, directory)();
    const freeShare = freePages / (usedPages + freePages);
    if (freePages === 0 || freeShare < freeShareMin) return { done: false, bytes: fileBytes, freeShare };
    const needed = usedPages * pageBytes + MARGIN_BYTES;
    const free = freeBytes(directory);
    if (free < needed)
      throw new StoreOpenError(
        directory,
        `its compaction needs ${needed} bytes; ${free} are free on the disk`,
      );
    const copy = await copyEnvironment(environment, format, partial);
    await checkCopy(directory, kind, partial, rowCounts(environment));
    syncFile(copy.path);
    renameSync(copy.path, join(directory, DATA_FILE));
    syncDirectory(directory);
    return { done: true, bytesBefore: fileBytes, bytesAfter: copy.bytes };
  } finally {
    await environment.close();
    rmSync(partial, { recursive: true, force: true });
  }
}

/** The store is not replaced by a copy that cannot be opened or lacks rows. */
async function checkCopy(
  directory: string,
  kind: EnvironmentKind,
  partial: string,
  wanted: ReadonlyMap<string, number>,
): Promise<void> {
  const copy = openEnvironment(partial, kind);
  try {
    const counts = rowCounts(copy);
    const isSame =
      [...wanted].every(([name, rows]) => counts.get(name) === rows) && counts.size === wanted.size;
    if (!isSame) throw new StoreOpenError(directory, 'its compacted copy lacks rows and is not used');
  } finally {
    await copy.close();
  }
}

/** Returns the size of a store's file; 0 if there is none. */
export const storeFileBytes = (directory: string): number =>
  statSync(join(directory, DATA_FILE), { throwIfNoEntry: false })?.size ?? 0;

function asStoreError<T>(directory: string, lock: () => T): T {
  try {
    return lock();
  } catch (error) {
    if (error instanceof DirectoryLockError)
      throw new StoreOpenError(directory, error.message, { cause: error });
    throw error;
  }
}
