import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE_NAMES } from '../../core/records/tables.ts';
import { DATA_FILE, openExistingDatabase } from './environment.ts';
import { rowCounts } from './environment-copy.ts';
import { openExistingStore } from './existing-store.ts';
import { CLUSTER_MARK_KEY, META_DATABASE, readAppliedMark } from './store-format.ts';

/** Rows about the log of its cluster in a state store that no process has open. */
export interface StoredMarkOfStore {
  /** Value of the row CLUSTER_MARK_KEY; null without one. */
  readonly storedMark: string | null;
  /** No table has a row. */
  readonly isEmpty: boolean;
  readonly bytes: number;
}

/** Returns the path of the data of a store. */
export const dataFileOf = (directory: string): string => join(directory, DATA_FILE);

/** Reads the mark of a state store. A directory without a store has none. Throws `StoreOpenError`. */
export async function readStoredMark(directory: string): Promise<StoredMarkOfStore> {
  const path = dataFileOf(directory);
  if (!existsSync(path)) return { storedMark: null, isEmpty: true, bytes: 0 };
  const { environment } = await openExistingStore(directory, 'state');
  try {
    const meta = openExistingDatabase(environment, META_DATABASE);
    const counts = rowCounts(environment);
    return {
      storedMark: meta === undefined ? null : readAppliedMark(meta, CLUSTER_MARK_KEY),
      isEmpty: TABLE_NAMES.every((name) => (counts.get(name) ?? 0) === 0),
      bytes: statSync(path).size,
    };
  } finally {
    await environment.close();
  }
}
