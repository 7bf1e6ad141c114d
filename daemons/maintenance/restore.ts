import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { extractArchive } from '../../src/adapters/backup/archive-reader.ts';
import type { BackupManifest } from '../../src/adapters/backup/manifest.ts';
import { formatFault, reconcileRestored, type Reconciled } from '../../src/adapters/lmdb/restored-store.ts';
import { lockDirectory, lockFile, type DirectoryLock } from '../../src/adapters/system/disk-lock.ts';
import { freeBytes } from '../../src/adapters/system/disk-watermark.ts';
import { makeDirectory } from '../../src/adapters/system/make-directory.ts';
import { syncDirectory } from '../../src/adapters/system/sync-file.ts';
import { restoreMarkerPath, restorePartial, storeDirectory } from './data-directory.ts';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';

/** The directory is not empty, or a service uses it. */
class RestoreTargetError extends Error {
  override readonly name = 'RestoreTargetError';
}

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];
/** Directory of the managed bus. A restore places its keys (bus-key-files.ts). */
const BUS = 'bus';
/** Lock file of a restore in `data.dir`. It is not removed: two processes could hold the lock of a removed file. */
const RESTORE_LOCK = 'restore.lock';
/** Marker in `restore.partial`: `data.dir` was empty before, so its stores are those of the restore. */
const FOUND_EMPTY = 'found-empty';
/** Directory at the root of a file system. */
const LOST_AND_FOUND = 'lost+found';
const MARGIN_BYTES = 64 * 2 ** 20;

/**
 * Restores a backup into an empty `data.dir`: the stores, and the keys of the managed bus if it has them. All of it is
 * checked before any store is put in place. The next restore starts an interrupted one from scratch, and no service
 * starts in between.
 *
 * @throws ArchiveError if the backup is incomplete or was not written by this program.
 * @throws RestoreTargetError if the directory is not empty.
 * @throws DirectoryLockError if another restore or a service holds it.
 */
export async function restoreStores(
  dataDirectory: string,
  file: string,
): Promise<{ readonly manifest: BackupManifest; readonly reconciled: Reconciled }> {
  makeDirectory(dataDirectory, 0o700);
  // Checked before any file is created: the directory may belong to another program.
  if (!existsSync(restorePartial(dataDirectory))) refuseFull(dataDirectory);
  const lock = lockFile(dataDirectory, RESTORE_LOCK, 'exclusive', 'another restore');
  try {
    begin(dataDirectory);
    return await fill(dataDirectory, file);
  } finally {
    lock.release();
  }
}

/**
 * Creates `restore.partial` in an otherwise empty directory, or removes the files of an interrupted restore. The
 * restore creates it before it checks the directory, and a service takes its lock before it checks for it, so one of
 * the two detects the other.
 */
function begin(dataDirectory: string): void {
  const partial = restorePartial(dataDirectory);
  const foundEmpty = join(partial, FOUND_EMPTY);
  if (existsSync(foundEmpty)) {
    clearCutRestore(dataDirectory);
    return;
  }
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    refuseFull(dataDirectory);
  } catch (error) {
    removePartial(dataDirectory);
    throw error;
  }
  writeFileSync(foundEmpty, '', { mode: 0o600, flush: true });
  syncDirectory(partial);
  syncDirectory(dataDirectory);
}

async function fill(
  dataDirectory: string,
  file: string,
): Promise<{ readonly manifest: BackupManifest; readonly reconciled: Reconciled }> {
  const partial = restorePartial(dataDirectory);
  /** Paths that this run has put in place. */
  const placed: string[] = [];
  const locks: DirectoryLock[] = [];
  try {
    const manifest = await extractArchive(
      file,
      (found) => refusal(found, dataDirectory),
      ({ name }) => {
        const target = join(partial, name);
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
        return target;
      },
    );
    const reconciled = await reconcileRestored(join(partial, 'state'), join(partial, 'logs'), Date.now());
    // The locks are held while their directories are renamed: no service opens a store before all are in place.
    for (const kind of KINDS) locks.push(lockDirectory(join(partial, kind)));
    for (const kind of KINDS) {
      syncDirectory(join(partial, kind));
      const target = storeDirectory(dataDirectory, kind);
      place(join(partial, kind), target);
      placed.push(target);
    }
    if (existsSync(join(partial, BUS))) {
      syncKeys(join(partial, BUS));
      place(join(partial, BUS), join(dataDirectory, BUS));
      placed.push(join(dataDirectory, BUS));
    }
    const mark = { restored_at: new Date().toISOString(), backup_made_at: manifest.made_at };
    placed.push(restoreMarkerPath(dataDirectory));
    writeFileSync(restoreMarkerPath(dataDirectory), `${JSON.stringify(mark)}\n`, {
      mode: 0o600,
      flush: true,
    });
    syncDirectory(dataDirectory);
    removePartial(dataDirectory);
    return { manifest, reconciled };
  } catch (error) {
    for (const path of placed) rmSync(path, { recursive: true, force: true });
    removePartial(dataDirectory);
    throw error;
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Makes the entries of the directory and of those in it durable. */
function syncKeys(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) syncKeys(join(directory, entry.name));
  syncDirectory(directory);
}

/** Renames a directory. Throws `RestoreTargetError` if the target has been created meanwhile. */
function place(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw new RestoreTargetError(
      `${to} was created by another process during the restore; it is left unchanged`,
    );
  }
}

function refuseFull(dataDirectory: string): void {
  const ignored = [LOST_AND_FOUND, RESTORE_LOCK, basename(restorePartial(dataDirectory))];
  const entries = readdirSync(dataDirectory).filter((name) => !ignored.includes(name));
  if (entries.length === 0) return;
  if (entries.includes('state')) {
    // The error of the lock names the process that holds it.
    try {
      lockDirectory(storeDirectory(dataDirectory, 'state')).release();
    } catch (error) {
      throw new RestoreTargetError(error instanceof Error ? error.message : String(error));
    }
  }
  throw new RestoreTargetError(
    `${dataDirectory} is not empty (${entries.slice(0, 5).join(', ')}): restore into an empty data.dir`,
  );
}

/**
 * Removes the files of an interrupted restore. Throws `DirectoryLockError` and removes nothing if a process holds a
 * store.
 */
function clearCutRestore(dataDirectory: string): void {
  const partial = restorePartial(dataDirectory);
  const stores = KINDS.map((kind) => storeDirectory(dataDirectory, kind)).filter((store) =>
    existsSync(store),
  );
  const locks: DirectoryLock[] = [];
  try {
    for (const store of stores) locks.push(lockDirectory(store));
    rmSync(restoreMarkerPath(dataDirectory), { force: true });
    for (const store of stores) rmSync(store, { recursive: true });
    rmSync(join(dataDirectory, BUS), { recursive: true, force: true });
    for (const kind of [...KINDS, BUS]) rmSync(join(partial, kind), { recursive: true, force: true });
  } finally {
    for (const lock of locks) lock.release();
  }
}

function removePartial(dataDirectory: string): void {
  rmSync(restorePartial(dataDirectory), { recursive: true, force: true });
  syncDirectory(dataDirectory);
}

function refusal({ parts }: BackupManifest, dataDirectory: string): string | null {
  for (const part of parts) {
    const fault = formatFault(part);
    if (fault !== null) return fault;
  }
  const needed = parts.reduce((sum, { bytes }) => sum + bytes, MARGIN_BYTES);
  const free = freeBytes(dataDirectory);
  return free < needed ? `the restore needs ${needed} bytes; ${free} are free in ${dataDirectory}` : null;
}
