import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { freeBytes } from '../../../src/adapters/system/disk-watermark.ts';
import { command } from './commands.ts';

/** `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`: the file system stops at once and flushes nothing. */
const SHUTDOWN =
  'open(my $f, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($f, 0x8004587D, $how) or die $!';
const FILLER = 'filler';
/** Written without a flush before each power loss: if it survives, the loss was none. */
const CANARY = 'not-flushed';
const FLUSHED = 'flushed';
const FILL_STEP_BYTES = 2 ** 20;

/** A file system in an image file, mounted by a loop device, that can lose power and fill up. */
export class LossyDisk {
  readonly path: string;
  readonly #image: string;

  constructor(path: string, image: string, bytes: number) {
    this.path = path;
    this.#image = image;
    mkdirSync(path, { recursive: true });
    writeFileSync(image, '');
    truncateSync(image, bytes);
    command('mkfs.ext4', '-q', '-E', 'lazy_itable_init=1', '-m', '0', image);
    this.#mount();
  }

  /**
   * Loses everything that was not flushed, at this moment. The processes that use the disk must be ended before `restore`.
   * Writes that the kernel had already sent to the device without a flush survive, which a real device may lose too.
   */
  losePower(): void {
    const flushed = openSync(join(this.path, FLUSHED), 'w');
    writeSync(flushed, 'flushed');
    fsyncSync(flushed);
    closeSync(flushed);
    writeFileSync(join(this.path, CANARY), 'not flushed');
    command('perl', '-e', SHUTDOWN, this.path);
  }

  /** Mounts the disk again, with what was flushed. Throws if the power loss was not one. */
  restore(): void {
    command('umount', this.path);
    this.#mount();
    if (existsSync(join(this.path, CANARY)))
      throw new Error('a file that was not flushed survived the power loss');
    if (!existsSync(join(this.path, FLUSHED))) throw new Error('a flushed file was lost');
  }

  /** Fills the disk until no byte fits. */
  fill(): void {
    const filler = join(this.path, FILLER);
    const reserved = Math.max(FILL_STEP_BYTES, freeBytes(this.path) - FILL_STEP_BYTES);
    command('fallocate', '--length', String(reserved), filler);
    const file = openSync(filler, 'a');
    try {
      for (let size = FILL_STEP_BYTES; size >= 1;) {
        if (!isWritten(file, size)) size = Math.floor(size / 2);
      }
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(join(this.path, FILLER), { force: true });
  }

  close(): void {
    command('umount', this.path);
  }

  #mount(): void {
    command('mount', '-o', 'loop', this.#image, this.path);
  }
}

/** Appends zeros. Returns false if they do not fit. */
function isWritten(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}
