import { mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../process/error-code.ts';
import { DATA_FILE, openExistingDatabase, type Environment } from './environment.ts';
import type { StoreFormat } from './store-format.ts';
import type { EnvironmentCopy } from './copy-stores.ts';

/**
 * Copies an open environment as of one commit into a new directory, without its free pages. LMDB copies in its own
 * thread from a read transaction: writers of this and other processes continue meanwhile, but pages that they free stay
 * in the file until the copy is done.
 */
export async function copyEnvironment(
  environment: Environment,
  format: StoreFormat,
  directory: string,
): Promise<EnvironmentCopy> {
  mkdirSync(directory, { mode: 0o700 });
  try {
    await environment.backup(directory, true);
  } catch (error) {
    removeEmpty(dirname(directory));
    throw error;
  }
  const path = join(directory, DATA_FILE);
  return { path, bytes: statSync(path).size, format };
}

/** lmdb re-creates the directory of a copy if it was removed meanwhile; it must be removed here. */
function removeEmpty(directory: string): void {
  try {
    if (readdirSync(directory).length === 0) rmdirSync(directory);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Returns the number of rows of each table. */
export function rowCounts(environment: Environment): ReadonlyMap<string, number> {
  return new Map(
    [...environment.getKeys()].map((name) => {
      const stats = openExistingDatabase(environment, name)?.getStats() as { entryCount: number } | undefined;
      return [name, stats?.entryCount ?? 0];
    }),
  );
}
