import { parseAppliedMark, type StoredMark } from '../../src/adapters/cluster/applied-mark.ts';
import { openDatabase } from '../../src/adapters/lmdb/environment.ts';
import { openExistingStore } from '../../src/adapters/lmdb/existing-store.ts';
import { CLUSTER_MARK_KEY, META_DATABASE, readAppliedMark } from '../../src/adapters/lmdb/store-format.ts';

/**
 * Returns the log of the state store in this directory and the last record that its tables contain; null if it is the store of a
 * single node.
 *
 * @throws StoreOpenError if there is no store, or it cannot be read.
 * @throws Error that names the directory if the mark is of a later version.
 */
export async function storedMarkIn(directory: string): Promise<StoredMark | null> {
  const { environment } = await openExistingStore(directory, 'state');
  try {
    const text = readAppliedMark(openDatabase(environment, META_DATABASE), CLUSTER_MARK_KEY);
    if (text === null) return null;
    const mark = parseAppliedMark(text);
    if (mark === null)
      throw new Error(
        `the store in ${directory} has a mark that this version cannot read: use the version that wrote it`,
      );
    return mark;
  } finally {
    await environment.close();
  }
}
