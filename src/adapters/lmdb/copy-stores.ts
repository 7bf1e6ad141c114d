import { join } from 'node:path';
import { freeBytes } from '../system/disk-watermark.ts';
import { STATE_DISK_LIMITS } from './state-writer.ts';
import type { PageCounts } from './page-meter.ts';
import type { StoreFormat } from './store-format.ts';
import type { EnvironmentKind } from '../../core/ports/store.ts';

/** Space that must stay free in addition to the backup: more than the service's own limit. */
const MARGIN_BYTES = STATE_DISK_LIMITS.okBytes + 64 * 2 ** 20;

/**
 * Copies stores one after the other into subdirectories named by their kind. Throws if the disk has no space for the
 * copies and the archive; each copy is removed once it is packed.
 */
export async function copyStores(
  stores: readonly CopiedStore[],
  directory: string,
): Promise<readonly EnvironmentCopy[]> {
  const sizes = stores.map((store) => {
    const { pageBytes, usedPages } = store.pages();
    return pageBytes * usedPages;
  });
  const needed = sizes.reduce((sum, size) => sum + size, 0) + Math.max(...sizes) + MARGIN_BYTES;
  const free = freeBytes(directory);
  if (free < needed) throw new Error(`the backup needs ${needed} bytes; ${free} are free in its directory`);
  const copies: EnvironmentCopy[] = [];
  for (const store of stores) copies.push(await store.copyTo(join(directory, store.kind)));
  return copies;
}

/** A copy of an environment, which may not be on disk yet. */
export interface EnvironmentCopy {
  /** Path of the data file. */
  readonly path: string;
  readonly bytes: number;
  readonly format: StoreFormat;
}

/** An open store that can be copied. */
export interface CopiedStore {
  readonly kind: EnvironmentKind;
  pages(): PageCounts;
  /** Copies the store as of one commit into a new directory. */
  copyTo(directory: string): Promise<EnvironmentCopy>;
}
