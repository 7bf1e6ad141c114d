import { compactStore, storeFileBytes } from '../../src/adapters/lmdb/compaction.ts';
import { assertRestoreComplete, storeDirectory } from './data-directory.ts';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];

/** The start of the service skips smaller files: compacting them saves little. */
const COMPACTED_BYTES_MIN = 16 * 2 ** 20;

/** Result of the compaction of a store. */
export interface CompactedStore {
  readonly kind: EnvironmentKind;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Compacts the stores of a stopped service in which at least this share of the file is free. Throws `StoreOpenError`.
 */
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

/** Returns the stores that the start of the service checks, because their files are large enough. */
export const storesToCheck = (dataDirectory: string): readonly EnvironmentKind[] =>
  KINDS.filter((kind) => storeFileBytes(storeDirectory(dataDirectory, kind)) >= COMPACTED_BYTES_MIN);
