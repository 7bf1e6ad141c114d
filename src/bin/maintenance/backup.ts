import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { partialPath, writeArchive } from '../../adapters/backup/archive-writer.ts';
import { BACKUP_FORMAT, partName, type BackupManifest } from '../../adapters/backup/manifest.ts';
import { lockForCopy } from '../../adapters/lmdb/compaction.ts';
import {
  copyEnvironment,
  openStoreToCopy,
  type EnvironmentCopy,
} from '../../adapters/lmdb/environment-copy.ts';
import type { EnvironmentKind } from '../../adapters/lmdb/environment.ts';
import { pageMeter } from '../../adapters/lmdb/page-meter.ts';
import { lockFile } from '../../adapters/system/disk-lock.ts';
import { freeBytes } from '../../adapters/system/disk-watermark.ts';
import { refuseCutRestore, storeDirectory } from './data-directory.ts';

interface BackupOptions {
  readonly dataDirectory: string;
  /** Where the backup is to be. */
  readonly file: string;
  /** Whether a file that is there may be replaced. */
  readonly force: boolean;
  readonly softwareVersion: string;
}

/** The file of the backup is there already. */
class BackupExistsError extends Error {
  override readonly name = 'BackupExistsError';
}

/** In this order: what is in the logs beyond the state is taken out at the restore, what were missing could not be made good. */
const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];

/** Copies and archive are on the disk together for a while. */
const COPIES = 2;
const MARGIN_BYTES = 64 * 2 ** 20;

/**
 * Makes a backup of the stores while the service goes on: each store as it was at one commit. The service is not asked and not delayed; this
 * process reads the files beside it, so it must run on the same machine, and as a user who may write them. Gives the size of the file.
 */
export async function backupStores(options: BackupOptions): Promise<{ readonly bytes: number }> {
  const { dataDirectory, force } = options;
  const file = resolve(options.file);
  if (!force && existsSync(file))
    throw new BackupExistsError(`${file} is there already: --force replaces it`);
  refuseCutRestore(dataDirectory);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`there is no directory ${folder}`);
  const parts = `${partialPath(file)}.d`;
  const lock = lockFile(folder, basename(`${parts}.lock`), 'exclusive', 'another backup');
  try {
    rmSync(parts, { recursive: true, force: true });
    rmSync(partialPath(file), { force: true });
    mkdirSync(parts, { mode: 0o700 });
    const copies: EnvironmentCopy[] = [];
    for (const kind of KINDS)
      copies.push(await copyStore(storeDirectory(dataDirectory, kind), kind, join(parts, kind)));
    await writeArchive(
      file,
      manifestOf(copies, options.softwareVersion),
      copies.map((copy) => copy.path),
    );
    return { bytes: copies.reduce((sum, copy) => sum + copy.bytes, 0) };
  } finally {
    rmSync(parts, { recursive: true, force: true });
    rmSync(partialPath(file), { force: true });
    rmSync(`${parts}.lock`, { force: true });
    lock.release();
  }
}

async function copyStore(directory: string, kind: EnvironmentKind, target: string): Promise<EnvironmentCopy> {
  const { environment, format } = await openStoreToCopy(directory, kind);
  try {
    const lock = lockForCopy(directory);
    try {
      const { pageBytes, usedPages } = pageMeter(environment, directory)();
      const needed = COPIES * usedPages * pageBytes + MARGIN_BYTES;
      const free = freeBytes(dirname(target));
      if (free < needed)
        throw new Error(
          `a backup of ${directory} needs ${needed} bytes and ${free} are free where it is to be`,
        );
      return await copyEnvironment(environment, format, target);
    } finally {
      lock.release();
    }
  } finally {
    await environment.close();
  }
}

function manifestOf(copies: readonly EnvironmentCopy[], softwareVersion: string): BackupManifest {
  return {
    backup: BACKUP_FORMAT,
    made_by: softwareVersion,
    made_at: `${new Date().toISOString().slice(0, 19)}Z`,
    store_id: copies[0]?.format.storeId ?? '',
    parts: copies.map(({ bytes, format }) => ({
      kind: format.kind,
      name: partName(format.kind),
      bytes,
      format: format.format,
    })),
  };
}
