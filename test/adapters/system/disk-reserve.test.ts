import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDiskReserve, type DiskReserve } from '../../../src/adapters/system/disk-reserve.ts';
import { freeBytes } from '../../../src/adapters/system/disk-watermark.ts';
import { mountFault, mountSmallDisk } from '../../kit/small-disk.ts';

const MIB = 2 ** 20;

const reserveOf = (
  file: string,
  reserveBytes: number,
  over: { command?: string; warnings?: string[] } = {},
): DiskReserve =>
  createDiskReserve({
    file,
    reserveBytes,
    onUnavailable: (reason) => {
      if (!over.warnings) throw new Error(reason);
      over.warnings.push(reason);
    },
    ...(over.command === undefined ? {} : { command: over.command }),
  });

test(
  'blocks are reserved before the file grows, so it can be written on a full disk',
  {
    skip: mountFault(),
  },
  async (t) => {
    const disk = mountSmallDisk(t, 32 * MIB);
    const file = join(disk.path, 'file');
    writeFileSync(file, Buffer.alloc(MIB));
    const reserve = reserveOf(file, 8 * MIB);
    const before = freeBytes(disk.path);
    t.equal(reserve.isShort(MIB), true, 'nothing is reserved initially');
    t.equal(reserve.hold(MIB, MIB), true);
    t.equal(reserve.isShort(MIB), false);
    t.equal(statSync(file).size, MIB);
    t.equal(before - freeBytes(disk.path), 9 * MIB);
    t.equal(reserve.hold(2 * MIB, MIB), true);
    t.equal(before - freeBytes(disk.path), 9 * MIB, 'nothing more is reserved while half is left');
    disk.fillUpTo(0);
    writeFileSync(file, Buffer.alloc(9 * MIB), { flag: 'r+' });
    t.equal(statSync(file).size, 9 * MIB);
  },
);

test(
  'on a full disk a new process uses the reserve of the earlier one',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 32 * MIB);
    const file = join(disk.path, 'file');
    writeFileSync(file, Buffer.alloc(MIB));
    reserveOf(file, 8 * MIB).hold(MIB, 0);
    disk.fillUpTo(0);
    const reserve = reserveOf(file, 8 * MIB);
    t.equal(reserve.hold(MIB, MIB), true);
    t.equal(reserve.hold(MIB, 9 * MIB), false, 'not more than that');
    writeFileSync(file, Buffer.alloc(9 * MIB), { flag: 'r+' });
    t.equal(statSync(file).size, 9 * MIB);
  },
);

test(
  'on a full disk the reserve is used up, then refused, and restored when there is space',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 32 * MIB);
    const file = join(disk.path, 'file');
    writeFileSync(file, '');
    const reserve = reserveOf(file, 8 * MIB);
    reserve.hold(0, 0);
    disk.fillUpTo(0);
    t.equal(reserve.hold(0, 8 * MIB), true, 'exactly the reserve is available');
    t.equal(reserve.isShort(5 * MIB), true);
    t.equal(reserve.hold(5 * MIB, 4 * MIB), false, 'not more than that');
    disk.fillUpTo(2 * MIB);
    t.equal(reserve.hold(5 * MIB, 4 * MIB), true, 'at least the required amount is reserved');
    disk.empty();
    t.equal(reserve.hold(5 * MIB, 4 * MIB), true);
    t.equal(reserve.isShort(9 * MIB), false);
  },
);

test(
  'if blocks cannot be reserved, one warning is logged and the free space is used',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 80 * MIB);
    const file = join(disk.path, 'file');
    writeFileSync(file, '');
    const warnings: string[] = [];
    const reserve = reserveOf(file, 8 * MIB, { command: '/nowhere/fallocate', warnings });
    t.equal(reserve.hold(0, MIB), true);
    t.equal(reserve.isShort(0), false);
    disk.fillUpTo(64 * MIB);
    t.equal(reserve.hold(0, MIB), false, 'the safety margin is kept');
    t.strictSame(warnings, ['/nowhere/fallocate cannot be run: spawnSync /nowhere/fallocate ENOENT']);
  },
);

test('the error of a file system is reported unchanged', async (t) => {
  const warnings: string[] = [];
  const reserve = reserveOf('/dev/null', MIB, { warnings });
  reserve.hold(0, 0);
  reserve.hold(0, 0);
  t.equal(warnings.length, 1);
  t.match(warnings[0], /^fallocate: /);
});
