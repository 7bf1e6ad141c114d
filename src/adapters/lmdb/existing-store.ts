import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE, type Environment } from './environment.ts';
import { openCheckedEnvironment } from './open-checked.ts';
import { readStoreFormat, StoreOpenError, type StoreFormat } from './store-format.ts';
import type { EnvironmentKind } from '../../core/ports/store.ts';
import { copyEnvironment } from './environment-copy.ts';
import { pageMeter } from './page-meter.ts';
import { replayJournal } from './replay-journal.ts';
import { freeBytes } from '../system/disk-watermark.ts';
import type { CopiedStore } from './copy-stores.ts';

/** Returns the path of the data of a store. */
export const dataFileOf = (directory: string): string => join(directory, DATA_FILE);

/** Throws `StoreOpenError` if there is no store. */
export function assertStoreExists(directory: string): void {
  if (!existsSync(dataFileOf(directory))) throw new StoreOpenError(directory, 'there is none');
}

/** Opens an existing store of this program's format. Throws `StoreOpenError`. */
export async function openExistingStore(
  directory: string,
  kind: EnvironmentKind,
): Promise<{ readonly environment: Environment; readonly format: StoreFormat }> {
  assertStoreExists(directory);
  const environment = openCheckedEnvironment(directory, kind);
  try {
    return { environment, format: readStoreFormat(environment, directory, kind) };
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/** Stores what the journal of a single node holds in the tables of a state store that no service has open. */
export function takeInJournal(environment: Environment, directory: string, { storeId }: StoreFormat): void {
  const hasRoom = (bytes: number): boolean => freeBytes(directory) > bytes;
  replayJournal({ environment, directory, storeId, hasRoom });
}

/** Opens a store that no service has open, with what its journal holds, to be copied. Throws `StoreOpenError`. */
export async function openStoreToCopy(
  directory: string,
  kind: EnvironmentKind,
): Promise<{ readonly copied: CopiedStore; readonly close: () => Promise<void> }> {
  const { environment, format } = await openExistingStore(directory, kind);
  if (kind === 'state') takeInJournal(environment, directory, format);
  const copied: CopiedStore = {
    kind,
    pages: pageMeter(environment, directory),
    copyTo: (target) => copyEnvironment(environment, format, target),
  };
  return { copied, close: () => environment.close() };
}
