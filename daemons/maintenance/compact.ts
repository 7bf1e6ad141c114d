import { compactStore, storeFileBytes } from '../../src/adapters/lmdb/compaction.ts';
import { assertRestoreComplete, storeDirectory } from './data-directory.ts';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];

/** Smaller files are not looked at at the start: there is little to win. */
const COMPACTED_BYTES_MIN = 16 * 2 ** 20;

/** What became of a store. */
export interface CompactedStore {
  readonly kind: EnvironmentKind;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Compacts the stores of a service that does not run, where this share of the file or more is free. Throws `StoreOpenError`. */
export async function compactStores(
  dataDirectory: string,
  freeShareMin: number,
  kinds: readonly EnvironmentKind[] = KINDS,
): Promise<readonly CompactedStore[]> {
  assertRestoreComplete(dataDirectory);
  const results: CompactedStore[] = [];
  for (const kind of kinds) {
    const result = await compactStore(storeDirectory(dataDirectory, kind), kind, freeShareMin);
    results.push(
      result.done
        ? { kind, bytesBefore: result.bytesBefore, bytesAfter: result.bytesAfter }
        : { kind, bytesBefore: result.bytes, bytesAfter: result.bytes },
    );
  }
  return results;
}

/** The stores whose files are large enough to be looked at, at the start of the service. */
export const storesToCheck = (dataDirectory: string): readonly EnvironmentKind[] =>
  KINDS.filter((kind) => storeFileBytes(storeDirectory(dataDirectory, kind)) >= COMPACTED_BYTES_MIN);
