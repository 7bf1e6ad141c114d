import { parseAppliedMark, type StoredMark } from '../../src/adapters/cluster/applied-mark.ts';
import { readClusterMark } from '../../src/adapters/lmdb/cluster-mark.ts';

/**
 * Returns the log of the state store in this directory and the last record that its tables contain; null if it is the store of a
 * single node.
 *
 * @throws StoreOpenError if there is no store, or it cannot be read.
 * @throws Error that names the directory if the mark is of a later version.
 */
export async function storedMarkIn(directory: string): Promise<StoredMark | null> {
  const text = await readClusterMark(directory);
  if (text === null) return null;
  const mark = parseAppliedMark(text);
  if (mark !== null) return mark;
  throw new Error(
    `the store in ${directory} has a mark that this version cannot read: use the version that wrote it`,
  );
}
