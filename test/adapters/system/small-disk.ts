import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freeBytes } from '../../../src/adapters/system/disk-watermark.ts';

/** A real file system of a few MiB that a test can fill. Requires the right to mount. */
export interface SmallDisk {
  readonly path: string;
  /** Fills the disk up to this many free bytes. */
  fillUpTo(freeLeft: number): void;
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
  const fault = run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path);
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
    empty: () => rmSync(filler, { force: true }),
  };
}
