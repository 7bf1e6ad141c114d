import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freeBytes } from '../../src/adapters/system/disk-watermark.ts';

/** A real file system of a few MiB that a test can fill. Requires the right to mount. */
export interface SmallDisk {
  readonly path: string;
  /** Fills the disk up to this many free bytes. No other process may write to it meanwhile. */
  fillUpTo(freeLeft: number): void;
  /** Fills the disk until no byte fits. */
  fill(): void;
  /** Frees the filled space. */
  empty(): void;
}

const run = (command: string, ...args: string[]): string | null => {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (error) return error.message;
  return status === 0 ? null : stderr.trim();
};

/** Why no file system can be mounted here, or false. */
export function mountFault(): string | false {
  const at = '/mnt';
  const fault = run('unshare', '--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at);
  return fault === null ? false : `a small file system cannot be mounted here: ${fault}`;
}

/** Mounts an empty file system for the duration of the test. */
export function mountSmallDisk(t: Test, bytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'callsheet-disk-'));
  const fault = run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0711`, 'tmpfs', path);
  if (fault !== null) throw new Error(fault);
  t.teardown(() => {
    run('umount', '--lazy', path);
    rmdirSync(path);
  });
  const filler = join(path, 'filler');
  return {
    path,
    fillUpTo(freeLeft) {
      rmSync(filler, { force: true });
      writeFileSync(filler, Buffer.alloc(Math.max(0, freeBytes(path) - freeLeft)));
    },
    fill: () => writeUntilFull(filler),
    empty: () => rmSync(filler, { force: true }),
  };
}

/** Writes to a file in smaller and smaller pieces until no byte fits. */
function writeUntilFull(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 64 * 1024; size >= 1;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}
