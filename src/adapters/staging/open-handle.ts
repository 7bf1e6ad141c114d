import { constants, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Linux: the handle stands for the file itself, whatever it is, and opens nothing of it. Node does not name the flag. */
const O_PATH = 0o10000000;

/**
 * A file, directory or link that is held by a handle: what stands under its name afterwards does not matter any more. What is done with it
 * goes through `/proc/self/fd`, which is the `openat` of a program without it.
 */
export class OpenHandle {
  private readonly handle: FileHandle;
  readonly stat: BigIntStats;

  private constructor(handle: FileHandle, stat: BigIntStats) {
    this.handle = handle;
    this.stat = stat;
  }

  /** Holds what a path leads to, links included. */
  static at(path: string): Promise<OpenHandle> {
    return OpenHandle.hold(path, O_PATH);
  }

  private static async hold(path: string, flags: number): Promise<OpenHandle> {
    const handle = await open(path, flags);
    try {
      return new OpenHandle(handle, await handle.stat({ bigint: true }));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Holds what stands under a name in this directory: a link is held itself and not followed. */
  child(name: string): Promise<OpenHandle> {
    return OpenHandle.hold(this.pathOf(name), O_PATH | constants.O_NOFOLLOW);
  }

  /** A path to this very file, for as long as it is held. */
  get path(): string {
    return `/proc/self/fd/${this.handle.fd}`;
  }

  /** A path to a name in this very directory. Names with a slash, `.` and `..` lead elsewhere and are a fault of this program. */
  pathOf(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/')) {
      throw new Error(`${JSON.stringify(name)} is no name in a directory`);
    }
    return `${this.path}/${name}`;
  }

  /** Opens this very file for reading. Of a FIFO or device nothing is opened: it has to be a regular file. */
  async openToRead(): Promise<FileHandle> {
    if (!this.stat.isFile()) throw new Error('only a regular file is read');
    return open(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
