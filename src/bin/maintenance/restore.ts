import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractArchive } from '../../adapters/backup/archive-reader.ts';
import type { BackupManifest } from '../../adapters/backup/manifest.ts';
import type { EnvironmentKind } from '../../adapters/lmdb/environment.ts';
import { reconcileRestored, type Reconciled } from '../../adapters/lmdb/restored-store.ts';
import { FORMAT_VERSIONS } from '../../adapters/lmdb/store-format.ts';
import { lockDirectory, lockFile } from '../../adapters/system/disk-lock.ts';
import { freeBytes } from '../../adapters/system/disk-watermark.ts';
import { makeDirectory } from '../../adapters/system/make-directory.ts';
import { syncDirectory } from '../../adapters/system/sync-file.ts';
import { restoredMark, restorePartial, storeDirectory } from './data-directory.ts';

/** The directory holds something already, or a service runs in it. */
class RestoreTargetError extends Error {
  override readonly name = 'RestoreTargetError';
}

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];
/** A file system of its own has it at its top. */
const NOT_OURS = 'lost+found';
const MARGIN_BYTES = 64 * 2 ** 20;

/**
 * Restores a backup into an empty `data.dir`. Nothing of it is in place before all of it was checked; a restore that was cut off is begun again by
 * the next, and no service starts in between. Throws `ArchiveError` when the backup is not whole or not this program's, `RestoreTargetError`
 * when the directory is not empty.
 */
export async function restoreStores(
  dataDirectory: string,
  file: string,
): Promise<{ readonly manifest: BackupManifest; readonly reconciled: Reconciled }> {
  makeDirectory(dataDirectory, 0o700);
  const partial = restorePartial(dataDirectory);
  const isAgain = existsSync(partial);
  if (!isAgain) refuseFull(dataDirectory);
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  const lock = lockFile(partial, 'restore.lock', 'exclusive', 'another restore');
  try {
    if (isAgain) clear(dataDirectory, partial);
    const manifest = await extractArchive(
      file,
      (found) => refusal(found, dataDirectory),
      ({ kind, name }) => {
        mkdirSync(join(partial, kind), { mode: 0o700 });
        return join(partial, name);
      },
    );
    const reconciled = await reconcileRestored(join(partial, 'state'), join(partial, 'logs'), Date.now());
    for (const kind of KINDS) {
      syncDirectory(join(partial, kind));
      renameSync(join(partial, kind), storeDirectory(dataDirectory, kind));
    }
    const mark = { restored_at: new Date().toISOString(), backup_made_at: manifest.made_at };
    writeFileSync(restoredMark(dataDirectory), `${JSON.stringify(mark)}\n`, { mode: 0o600, flush: true });
    syncDirectory(dataDirectory);
    return { manifest, reconciled };
  } catch (error) {
    clear(dataDirectory, partial);
    throw error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
    syncDirectory(dataDirectory);
    lock.release();
  }
}

function refuseFull(dataDirectory: string): void {
  const entries = readdirSync(dataDirectory).filter((name) => name !== NOT_OURS);
  if (entries.length === 0) return;
  if (entries.includes('state')) {
    // Says which process it is when there is one.
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

/** What a restore has put there: only it can have, because no service starts beside a cut restore. */
function clear(dataDirectory: string, partial: string): void {
  rmSync(restoredMark(dataDirectory), { force: true });
  for (const kind of KINDS) {
    rmSync(storeDirectory(dataDirectory, kind), { recursive: true, force: true });
    rmSync(join(partial, kind), { recursive: true, force: true });
  }
}

function refusal({ parts }: BackupManifest, dataDirectory: string): string | null {
  const other = parts.find(({ kind, format }) => format !== FORMAT_VERSIONS[kind]);
  if (other !== undefined)
    return `its ${other.kind} have format ${other.format} and this program knows format ${FORMAT_VERSIONS[other.kind]}`;
  const needed = parts.reduce((sum, { bytes }) => sum + bytes, MARGIN_BYTES);
  const free = freeBytes(dataDirectory);
  return free < needed ? `it needs ${needed} bytes and ${free} are free in ${dataDirectory}` : null;
}
