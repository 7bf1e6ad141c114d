import { randomUUID } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { chown, mkdir, open, opendir, readdir, rename, rm, statfs, type FileHandle } from 'node:fs/promises';
import type { FileOwner } from '../../core/ports/staging.ts';
import { mayCreate, mayRead, mayReplace, maySearch } from './access.ts';
import { ConfinedRoot, accessDenied, type LinkRule } from './confined-root.ts';
import type { OpenHandle } from './open-handle.ts';
import { STAGING_LIMITS } from './limits.ts';
import type { FoundFile, FoundTree, StagingLocation } from './staging-location.ts';
import { withPath, stagingError, StagingError } from './staging-error.ts';

export interface FilesystemPlaceOptions {
  readonly root: string;
  /** Path components from the root to the object. */
  readonly below: readonly string[];
  /**
   * Rule for links below the root, on the path of the object itself; links inside a written object are always refused.
   */
  readonly links: LinkRule;
  /** Owner whose permissions apply, and who becomes the owner of the files; null for the worker's own. */
  readonly owner: FileOwner | null;
  /** Set if only files of the owner may be read: a file of another owner was linked there. */
  readonly ownOnly: boolean;
  /** For new files and directories, before the umask. */
  readonly modes: { readonly file: number; readonly directory: number };
}

const EXECUTABLE = 0o111n;
const BLOCK_BYTES = 512n;
/** Prefix of incomplete files, including those of a worker that has exited. */
const PARTIAL_PREFIX = '.callsheet-';
/** Replacement character in names that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** An object in a confined directory. */
export class FilesystemLocation implements StagingLocation {
  private readonly root: ConfinedRoot;
  private readonly options: FilesystemPlaceOptions;

  private constructor(root: ConfinedRoot, options: FilesystemPlaceOptions) {
    this.root = root;
    this.options = options;
  }

  static async open(options: FilesystemPlaceOptions): Promise<FilesystemLocation> {
    return new FilesystemLocation(await ConfinedRoot.open(options.root, options.owner), options);
  }

  async list(signal: AbortSignal): Promise<FoundTree | null> {
    const { below, links } = this.options;
    const directories: (readonly string[])[] = [];
    const files: FoundFile[] = [];
    let isThere = false;
    try {
      await this.root.use(below, links, (found) => {
        isThere = true;
        return this.collect(found, [], [], { directories, files }, signal);
      });
    } catch (error) {
      if (!isThere && isMissing(error)) return null;
      throw error;
    }
    return { directories, files };
  }

  async *read(file: FoundFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const path = this.textOf(file.below);
    const handle = await this.root.use(
      [...this.options.below, ...file.below],
      this.options.links,
      async (found) => {
        this.checkReadable(found.stat, path);
        if (stampOf(found.stat) !== file.stamp) throw changed(path);
        return found.openToRead();
      },
    );
    try {
      yield* this.content(handle, file, path, signal);
    } catch (error) {
      throw withPath(path, error);
    } finally {
      await handle.close();
    }
  }

  async makeRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.options.root);
    if (bytes <= bavail * bsize) return;
    throw stagingError(
      this.options.root,
      `has no room: ${bytes} bytes are to be copied, and ${bavail * bsize} are free`,
    );
  }

  makeDirectory(below: readonly string[]): Promise<void> {
    return this.inDirectory(below, () => Promise.resolve());
  }

  async write(file: FoundFile, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
    const way = [...this.options.below, ...file.below];
    const name = way.at(-1);
    const path = this.textOf(file.below);
    if (name === undefined) throw stagingError(path, 'is a root, and no file can take its place');
    try {
      return await this.inDirectoryAt(way.slice(0, -1), (directory) =>
        this.writeIn(directory, name, file, content, signal, path),
      );
    } catch (error) {
      throw withPath(path, error);
    }
  }

  close(): Promise<void> {
    return this.root.close();
  }

  private textOf(below: readonly string[]): string {
    return this.root.textOf([...this.options.below, ...below]);
  }

  /** Adds a file, or a directory with its content. `ancestors` are the enclosing directories. */
  private async collect(
    found: OpenHandle,
    below: readonly string[],
    ancestors: readonly string[],
    tree: { readonly directories: (readonly string[])[]; readonly files: FoundFile[] },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const path = this.textOf(below);
    const { stat } = found;
    this.checkReadable(stat, path);
    const { owner } = this.options;
    if (owner !== null && stat.isDirectory() && !maySearch(stat, owner)) throw accessDenied(path);
    if (tree.files.length + tree.directories.length >= STAGING_LIMITS.entries) {
      throw stagingError(this.textOf([]), `has more than ${STAGING_LIMITS.entries} files and directories`);
    }
    if (!stat.isDirectory()) {
      const isExecutable = (stat.mode & EXECUTABLE) !== 0n;
      tree.files.push({ below, size: Number(stat.size), stamp: stampOf(stat), isExecutable });
      return;
    }
    const identity = `${stat.dev}:${stat.ino}`;
    if (ancestors.includes(identity)) throw stagingError(path, 'is a link to a directory that it is in');
    if (ancestors.length >= STAGING_LIMITS.depth)
      throw stagingError(path, `is nested more than ${STAGING_LIMITS.depth} directories deep`);
    if (below.length > 0) tree.directories.push(below);
    for await (const entry of await opendir(found.path)) {
      const inside = [...below, entry.name];
      if (entry.name.startsWith(PARTIAL_PREFIX)) continue;
      if (entry.name.includes(REPLACEMENT))
        throw stagingError(this.textOf(inside), 'has a name that is not UTF-8');
      await this.collectChild(found, entry.name, inside, [...ancestors, identity], tree, signal);
    }
  }

  private async collectChild(
    directory: OpenHandle,
    name: string,
    below: readonly string[],
    ancestors: readonly string[],
    tree: { readonly directories: (readonly string[])[]; readonly files: FoundFile[] },
    signal: AbortSignal,
  ): Promise<void> {
    const held = await directory.child(name).catch((error: unknown) => {
      throw withPath(this.textOf(below), error);
    });
    try {
      if (!held.stat.isSymbolicLink()) {
        await this.collect(held, below, ancestors, tree, signal);
        return;
      }
    } finally {
      await held.close();
    }
    await this.root.use([...this.options.below, ...below], this.options.links, (found) =>
      this.collect(found, below, ancestors, tree, signal),
    );
  }

  private checkReadable(stat: BigIntStats, path: string): void {
    const { owner, ownOnly } = this.options;
    const kind = kindOf(stat);
    if (kind !== null) throw stagingError(path, `is ${kind}`);
    if (owner !== null && (!mayRead(stat, owner) || (ownOnly && stat.uid !== BigInt(owner.uid)))) {
      throw accessDenied(path);
    }
    const isHollow =
      stat.isFile() &&
      stat.size >= STAGING_LIMITS.sparseBytes &&
      stat.blocks * BLOCK_BYTES * BigInt(STAGING_LIMITS.sparseRatio) < stat.size;
    if (isHollow) throw stagingError(path, `is sparse: ${stat.size} bytes, of which almost none are there`);
  }

  private async *content(
    handle: FileHandle,
    { size, stamp }: FoundFile,
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < size;) {
      signal.throwIfAborted();
      const chunk = Buffer.allocUnsafe(Math.min(STAGING_LIMITS.chunkBytes, size - position));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) throw changed(path);
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
    if (stampOf(await handle.stat({ bigint: true })) !== stamp) throw changed(path);
  }

  private inDirectory(
    below: readonly string[],
    use: (directory: OpenHandle) => Promise<void>,
  ): Promise<void> {
    return this.inDirectoryAt([...this.options.below, ...below], use);
  }

  /** Creates missing directories. Links on the object's own path follow its rule; below it they are refused. */
  private inDirectoryAt<T>(way: readonly string[], use: (directory: OpenHandle) => Promise<T>): Promise<T> {
    const { below, links } = this.options;
    const resolved = links === 'inside' ? Math.min(way.length, below.length) : 0;
    return this.root.useDirectory(way, resolved, (parent, name) => this.make(parent, name), use);
  }

  private async make(parent: OpenHandle, name: string): Promise<void> {
    const { owner, modes } = this.options;
    if (owner !== null && !mayCreate(parent.stat, owner)) throw accessDenied(name);
    try {
      await mkdir(parent.pathOf(name), modes.directory);
    } catch (error) {
      // Another task of the job creates it at the same time.
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
      throw error;
    }
    if (owner === null) return;
    const made = await parent.child(name);
    try {
      if (!made.stat.isDirectory()) return;
      // Any account with write access to the parent can replace it with another account's directory.
      if (!(await isAsMade(made))) throw changed(name);
      await chown(made.path, owner.uid, owner.gid);
    } finally {
      await made.close();
    }
  }

  private async writeIn(
    directory: OpenHandle,
    name: string,
    file: FoundFile,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    path: string,
  ): Promise<string> {
    const { owner, modes } = this.options;
    if (owner !== null && !mayCreate(directory.stat, owner)) throw accessDenied(path);
    await this.checkReplaced(directory, name, path);
    const partial = directory.pathOf(`${PARTIAL_PREFIX}${randomUUID()}`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const mode = file.isExecutable ? modes.file | ((modes.file & 0o444) >> 2) : modes.file;
    const handle = await open(partial, flags, mode);
    try {
      let stamp: string;
      try {
        for await (const chunk of content) {
          signal.throwIfAborted();
          await handle.writeFile(chunk);
        }
        if (owner !== null) await handle.chown(owner.uid, owner.gid);
        await handle.datasync();
        stamp = stampOf(await handle.stat({ bigint: true }));
      } finally {
        await handle.close();
      }
      signal.throwIfAborted();
      await rename(partial, directory.pathOf(name));
      return stamp;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** Checks the entry that a new file replaces: a file, a link (itself, not its target), or nothing. */
  private async checkReplaced(directory: OpenHandle, name: string, path: string): Promise<void> {
    let there: OpenHandle;
    try {
      there = await directory.child(name);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      throw error;
    }
    const { owner } = this.options;
    const { stat } = there;
    await there.close();
    if (stat.isDirectory()) throw stagingError(path, 'is a directory, and a file is to take its place');
    if (owner !== null && !mayReplace(directory.stat, stat, owner)) throw accessDenied(path);
  }
}

/** Changes with each write, and when another file replaces it. */
const stampOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string => `${dev}:${ino}:${size}:${mtimeNs}`;

/** Reports whether a directory can be the one that this process has just created: its own, and empty. */
async function isAsMade({ path, stat }: OpenHandle): Promise<boolean> {
  return stat.uid === BigInt(process.geteuid?.() ?? -1) && (await readdir(path)).length === 0;
}

const changed = (path: string): Error => stagingError(path, 'was changed while it was copied');

/** Returns the kind of a file that cannot be copied, or null. */
function kindOf(stat: BigIntStats): string | null {
  if (stat.isFile() || stat.isDirectory()) return null;
  if (stat.isSymbolicLink()) return 'a symbolic link';
  if (stat.isFIFO()) return 'a FIFO';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}

const isMissing = (error: unknown): boolean =>
  error instanceof StagingError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ENOENT';
