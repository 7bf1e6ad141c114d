import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { partialPath, writeArchive } from '../../src/adapters/backup/archive-writer.ts';
import { readBusKeyFiles, type BusKeyFile } from '../../src/adapters/backup/bus-key-files.ts';
import { backupFormat, partName, type BackupManifest } from '../../src/adapters/backup/manifest.ts';
import { copyStores, type CopiedStore, type EnvironmentCopy } from '../../src/adapters/lmdb/copy-stores.ts';
import { assertStoreExists, openStoreToCopy } from '../../src/adapters/lmdb/existing-store.ts';
import {
  DirectoryLockError,
  lockDirectory,
  lockFile,
  type DirectoryLock,
} from '../../src/adapters/system/disk-lock.ts';
import { storedMarkIn } from './stored-mark.ts';
import { requestStoreCopies } from './backup-socket.ts';
import { assertRestoreComplete, storeDirectory } from './data-directory.ts';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';

interface BackupOptions {
  readonly dataDirectory: string;
  /** Path of the backup to write. */
  readonly file: string;
  /** Replaces an existing file. */
  readonly force: boolean;
  readonly softwareVersion: string;
}

/** The file of the backup already exists. */
class BackupExistsError extends Error {
  override readonly name = 'BackupExistsError';
}

/** The logs are copied after the state: a restore removes logs without a job, but could not replace missing logs. */
const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];

/** Held while a backup is made in a directory. */
const BACKUP_LOCK = '.callsheet-backup.lock';

/**
 * Writes a backup of the stores, each as of one commit, and of the keys of the managed bus. A running service makes the
 * copies and continues to work. Without one, this process makes them and holds the locks, so that no service starts.
 * Must run on the machine and as the user of the service.
 *
 * @param interrupted - Receives the function that removes an unfinished backup.
 * @returns The size of the copied stores.
 */
export async function backupStores(
  options: BackupOptions,
  interrupted: (clear: () => void) => void,
): Promise<{ readonly bytes: number }> {
  const { dataDirectory, force } = options;
  const file = resolve(options.file);
  if (!force && existsSync(file)) throw new BackupExistsError(`${file} already exists; --force replaces it`);
  assertRestoreComplete(dataDirectory);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`there is no directory ${folder}`);
  const parts = `${partialPath(file)}.d`;
  const lock = lockFile(folder, BACKUP_LOCK, 'exclusive', 'another backup');
  const clear = (): void => {
    // The service may still write into the directory. After the rename it cannot.
    const cleared = `${parts}.cleared`;
    rmSync(cleared, { recursive: true, force: true });
    if (existsSync(parts)) renameSync(parts, cleared);
    rmSync(cleared, { recursive: true, force: true });
    rmSync(partialPath(file), { force: true });
  };
  interrupted(clear);
  try {
    clear();
    mkdirSync(parts, { mode: 0o700 });
    const copies = await copiesOf(dataDirectory, parts);
    // After the state: every credential in it was issued with these keys, which never change.
    const keys = await readBusKeyFiles(dataDirectory);
    await writeArchive(
      file,
      { ...manifestOf(copies, keys, options.softwareVersion), ...(await positionOf(copies)) },
      copies.map((copy) => copy.path),
      keys.map(({ data }) => data),
    );
    return { bytes: copies.reduce((sum, copy) => sum + copy.bytes, 0) };
  } finally {
    clear();
    lock.release();
  }
}

async function copiesOf(dataDirectory: string, parts: string): Promise<readonly EnvironmentCopy[]> {
  const locks: DirectoryLock[] = [];
  const stores: { readonly copied: CopiedStore; readonly close: () => Promise<void> }[] = [];
  try {
    for (const kind of KINDS) {
      const directory = storeDirectory(dataDirectory, kind);
      assertStoreExists(directory);
      locks.push(lockDirectory(directory));
    }
    for (const kind of KINDS) stores.push(await openStoreToCopy(storeDirectory(dataDirectory, kind), kind));
    return await copyStores(
      stores.map(({ copied }) => copied),
      parts,
    );
  } catch (error) {
    if (!(error instanceof DirectoryLockError)) throw error;
    return await requestStoreCopies(dataDirectory, parts);
  } finally {
    for (const { close } of stores) await close();
    for (const lock of locks) lock.release();
  }
}

/** Returns the position of the copied state in the log of its cluster; nothing for a single node. */
async function positionOf(copies: readonly EnvironmentCopy[]): Promise<Pick<BackupManifest, 'cluster'>> {
  const state = copies.find(({ format }) => format.kind === 'state');
  const stored = state === undefined ? null : await storedMarkIn(dirname(state.path));
  if (stored === null) return {};
  const { logId, mark } = stored;
  return { cluster: { log_id: logId, position: mark.position, epoch: mark.epoch } };
}

function manifestOf(
  copies: readonly EnvironmentCopy[],
  keys: readonly BusKeyFile[],
  softwareVersion: string,
): BackupManifest {
  const files = keys.map(({ name, data }) => ({ name, bytes: data.length }));
  return {
    backup: backupFormat(files),
    made_by: softwareVersion,
    made_at: `${new Date().toISOString().slice(0, 19)}Z`,
    store_id: copies[0]?.format.storeId ?? '',
    parts: copies.map(({ bytes, format }) => ({
      kind: format.kind,
      name: partName(format.kind),
      bytes,
      format: format.format,
    })),
    ...(files.length === 0 ? {} : { files }),
  };
}
