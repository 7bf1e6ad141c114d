import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { freeBytes } from './disk-watermark.ts';

/**
 * Disk blocks reserved ahead of a growing file, so that it can be written when the disk is full.
 *
 * lmdb 3.5.6 corrupts the heap if a write fails because of a full disk
 * (docs/dependency-hazards.md#d2-a-full-disk-corrupts-memory), so no write may fail. The `fallocate` command of
 * util-linux allocates the blocks beyond the end of the file without changing its size. If the command or the file
 * system does not support this, the free space of the disk is checked before each write instead, with a margin.
 */
export interface DiskReserve {
  /**
   * Reports whether `bytes` more can be written after the file's end; reserves ahead if little is left. Takes
   * milliseconds in that case, microseconds otherwise.
   */
  hold(fileBytes: number, bytes: number): boolean;
  /** Reports whether the reserve is too small, because the disk is full. */
  isShort(fileBytes: number): boolean;
}

interface DiskReserveOptions {
  /** The file; it must exist. */
  readonly file: string;
  /** Number of bytes to reserve beyond the file's end. */
  readonly reserveBytes: number;
  /** Called once if blocks cannot be reserved for a reason other than a full disk. */
  readonly onUnavailable: (reason: string) => void;
  /** The allocating command. */
  readonly command?: string;
}

/**
 * Without a reserve, this much must stay free beyond the needs of a write, because other processes write to the disk
 * too.
 */
const UNRESERVED_MARGIN_BYTES = 64 * 1024 * 1024;

/** Unit of `blocks` in the result of stat(2). */
const STAT_BLOCK_BYTES = 512;

type Allocation =
  | { readonly kind: 'done' }
  | { readonly kind: 'full' }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Creates a reserve for a file. Nothing is allocated before the first `hold`. */
export function createDiskReserve(options: DiskReserveOptions): DiskReserve {
  const { file, reserveBytes, onUnavailable, command = 'fallocate' } = options;
  const directory = dirname(file);
  let reservedEnd = 0;
  let isAvailable = true;

  const extendTo = (end: number): boolean => {
    // Blocks of the file and of an earlier process's reserve are allocated already: on a full disk they are all there is.
    const allocated = Math.max(reservedEnd, allocatedBytes(file));
    if (!isAvailable || end - allocated > freeBytes(directory)) return false;
    const allocation = allocate(command, file, reservedEnd, end - reservedEnd);
    if (allocation.kind === 'done') reservedEnd = end;
    if (allocation.kind === 'unavailable') {
      isAvailable = false;
      onUnavailable(allocation.reason);
    }
    return allocation.kind === 'done';
  };

  return {
    hold(fileBytes, bytes) {
      if (isAvailable) {
        const needed = fileBytes + bytes;
        if (reservedEnd >= needed + reserveBytes / 2) return true;
        if (extendTo(needed + reserveBytes) || reservedEnd >= needed || extendTo(needed)) return true;
        if (isAvailable) return false;
      }
      return freeBytes(directory) >= bytes + UNRESERVED_MARGIN_BYTES;
    },
    isShort: (fileBytes) => isAvailable && reservedEnd < fileBytes + reserveBytes / 2,
  };
}

/** Returns the size of the file's blocks, with those beyond its end. */
const allocatedBytes = (file: string): number => statSync(file).blocks * STAT_BLOCK_BYTES;

function allocate(command: string, file: string, offset: number, length: number): Allocation {
  const args = ['--keep-size', '--offset', String(offset), '--length', String(length), file];
  const run = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  if (run.error) return { kind: 'unavailable', reason: `${command} cannot be run: ${run.error.message}` };
  if (run.status === 0) return { kind: 'done' };
  if (run.stderr.includes('No space left')) return { kind: 'full' };
  return { kind: 'unavailable', reason: run.stderr.trim() || `${command} ended with status ${run.status}` };
}
