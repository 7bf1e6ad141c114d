import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Only root can mount. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/** Mounts a file system of this size in MiB, and unmounts it after the test. */
export function smallDisk(t: Test, mebibytes: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'callsheet-test', directory]);
  t.teardown(() => {
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Fills the file system: appends to a file in the directory until no byte fits. */
export function fillDisk(directory: string): void {
  const file = openSync(join(directory, 'filler'), 'w');
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
