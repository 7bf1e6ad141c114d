import { constants, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * Linux: the handle refers to the file itself, of any kind, without opening its content. Node does not define the flag.
 */
const O_PATH = 0o10000000;

/**
 * An open handle of a file, directory or link, independent of later changes to its name. Operations use
 * `/proc/self/fd`, as `openat` would.
 */
export class OpenHandle {
  private readonly handle: FileHandle;
  readonly stat: BigIntStats;

  private constructor(handle: FileHandle, stat: BigIntStats) {
    this.handle = handle;
    this.stat = stat;
  }

  /** Opens the target of a path, following links. */
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

  /** Opens a name in this directory: a link is opened itself and not followed. */
  child(name: string): Promise<OpenHandle> {
    return OpenHandle.hold(this.pathOf(name), O_PATH | constants.O_NOFOLLOW);
  }

  /** A path of this file while it is open. */
  get path(): string {
    return `/proc/self/fd/${this.handle.fd}`;
  }

  /**
   * Returns a path of a name in this directory. Names with a slash, `.` and `..` would lead elsewhere and are a bug of
   * this program.
   */
  pathOf(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/')) {
      throw new Error(`${JSON.stringify(name)} is not a valid name in a directory`);
    }
    return `${this.path}/${name}`;
  }

  /** Opens this file for reading. FIFOs and devices are refused: it must be a regular file. */
  async openToRead(): Promise<FileHandle> {
    if (!this.stat.isFile()) throw new Error('only a regular file is read');
    return open(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
