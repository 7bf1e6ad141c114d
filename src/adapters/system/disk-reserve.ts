import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { freeBytes } from './disk-watermark.ts';

/**
 * Disk blocks reserved ahead of a growing file, so that it can be written when the disk is full
 * (docs/dependency-hazards.md#d2-a-full-disk-corrupts-memory): lmdb 3.5.6 corrupts the heap when a write meets a full
 * disk, so no write may meet one. The blocks are allocated beyond the end of the file with the `fallocate` command of
 * util-linux, which leaves the file's size as it is. Where the command or the file system cannot do that, the free
 * space of the disk is looked at before each write instead, with a margin.
 */
export interface DiskReserve {
  /**
   * Whether `bytes` more can be written behind the file's end; reserves ahead when little is left. Takes milliseconds then, microseconds
   * otherwise.
   */
  hold(fileBytes: number, bytes: number): boolean;
  /** Whether less is reserved than should be, because the disk is full. */
  isShort(fileBytes: number): boolean;
}

interface DiskReserveOptions {
  /** The file; it must exist. */
  readonly file: string;
  /** How far ahead of the file's end to reserve. */
  readonly reserveBytes: number;
  /** Called once when blocks cannot be reserved here for another cause than a full disk. */
  readonly onUnavailable: (reason: string) => void;
  /** The command that allocates. */
  readonly command?: string;
}

/** Without a reserve, this much must stay free beyond what a write needs: others write to the disk too. */
const UNRESERVED_MARGIN_BYTES = 64 * 1024 * 1024;

type Allocation =
  | { readonly kind: 'done' }
  | { readonly kind: 'full' }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** A reserve for a file. Nothing is allocated before the first `hold`. */
export function createDiskReserve(options: DiskReserveOptions): DiskReserve {
  const { file, reserveBytes, onUnavailable, command = 'fallocate' } = options;
  const directory = dirname(file);
  let reservedEnd = 0;
  let isAvailable = true;

  const extendTo = (end: number): boolean => {
    if (!isAvailable || end - reservedEnd > freeBytes(directory)) return false;
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

function allocate(command: string, file: string, offset: number, length: number): Allocation {
  const args = ['--keep-size', '--offset', String(offset), '--length', String(length), file];
  const run = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  if (run.error) return { kind: 'unavailable', reason: `${command} cannot be run: ${run.error.message}` };
  if (run.status === 0) return { kind: 'done' };
  if (run.stderr.includes('No space left')) return { kind: 'full' };
  return { kind: 'unavailable', reason: run.stderr.trim() || `${command} ended with status ${run.status}` };
}
