import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAttemptId, type AttemptId } from '../../core/ids.ts';
import type { LogSpool, SpoolOutcome } from '../../core/ports/log-spool.ts';
import type { LogMessage } from '../../core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { parseLog } from '../../core/wire/worker-messages.ts';

const SUFFIX = '.jsonl';
const DAMAGED = 'damaged';
const LINE_FEED = 0x0a;

const SPOOL_LIMITS = {
  /** Size of a read: the longest line and more. */
  blockBytes: 2 * WIRE_LIMITS.logText,
  /** Maximum number of damaged files that are kept; older ones are deleted. */
  damagedFiles: 4,
  /** Part of the limit reserved for the ends of attempts. */
  endShare: 1 / 8,
} as const;

interface SpoolOptions {
  /** Limit of all files together. */
  readonly bytesMax: number;
  readonly warn: (text: string, attributes: Readonly<Record<string, string>>) => void;
}

/** The file of one attempt: lines of JSON, one per chunk. */
interface SpoolFile {
  readonly path: string;
  handle: FileHandle | null;
  /** Bytes of complete lines. */
  size: number;
  /** Offset of the first chunk that is not on the bus. */
  start: number;
  /** End offsets of the chunks of the latest `front`. */
  frontEnds: readonly number[];
  /** Resolves when the last call has ended. */
  queue: Promise<unknown>;
  /** Number of calls that have not ended. */
  calls: number;
}

/** One file per attempt in one directory, readable only by its owner. */
export class FileLogSpool implements LogSpool {
  private readonly directory: string;
  private readonly options: SpoolOptions;
  private readonly files: Map<AttemptId, SpoolFile>;
  private bytes: number;

  private constructor(directory: string, files: Map<AttemptId, SpoolFile>, options: SpoolOptions) {
    this.directory = directory;
    this.options = options;
    this.files = files;
    this.bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Creates the directory, or loads the files of an earlier agent. Invalid files are moved aside. */
  static async open(directory: string, options: SpoolOptions): Promise<FileLogSpool> {
    await mkdir(join(directory, DAMAGED), { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
    const files = new Map<AttemptId, SpoolFile>();
    for (const name of (await readdir(directory)).sort()) {
      if (name === DAMAGED) continue;
      const path = join(directory, name);
      const attemptId = name.slice(0, -SUFFIX.length);
      const found = await lstat(path);
      const isSpool = name.endsWith(SUFFIX) && parseAttemptId(attemptId) !== null && found.isFile();
      if (isSpool) files.set(attemptId as AttemptId, newFile(path, found.size));
      else await putAside(directory, path, 'it is not a spool file', options);
    }
    return new FileLogSpool(directory, files, options);
  }

  /** Returns the attempts with spooled logs. */
  get attempts(): readonly AttemptId[] {
    return [...this.files.keys()];
  }

  append(attemptId: AttemptId, chunks: readonly LogMessage[], isLast: boolean): Promise<SpoolOutcome> {
    const file = this.files.get(attemptId) ?? newFile(join(this.directory, `${attemptId}${SUFFIX}`), 0);
    this.files.set(attemptId, file);
    return this.inTurn(attemptId, file, async () => {
      const bound = this.options.bytesMax * (isLast ? 1 : 1 - SPOOL_LIMITS.endShare);
      const lines: Buffer[] = [];
      let size = 0;
      for (const chunk of chunks) {
        const line = Buffer.from(`${JSON.stringify(chunk)}\n`);
        if (this.bytes + size + line.length > bound) break;
        lines.push(line);
        size += line.length;
      }
      // Counted before the write, because other attempts are written meanwhile.
      this.bytes += size;
      try {
        if (size > 0) await write(file, Buffer.concat(lines));
      } catch (error) {
        this.bytes -= size;
        if (file.size === 0) await this.remove(file);
        return { kept: 0, failure: reasonOf(error) };
      }
      const isAll = lines.length === chunks.length;
      return { kept: lines.length, failure: isAll ? null : 'worker.log_spool_bytes is reached' };
    });
  }

  front(attemptId: AttemptId, most: number): Promise<readonly LogMessage[]> {
    const file = this.files.get(attemptId);
    if (file === undefined) return Promise.resolve([]);
    return this.inTurn(attemptId, file, async () => {
      file.frontEnds = [];
      const chunks: LogMessage[] = [];
      try {
        const block = await read(file);
        const ends: number[] = [];
        for (let from = 0; chunks.length < most && from < block.length;) {
          const end = block.indexOf(LINE_FEED, from);
          if (end === -1) break;
          const parsed = parseLog(block.toString('utf8', from, end));
          const fault = parsed.ok
            ? parsed.value.attempt_id === attemptId
              ? null
              : 'attempt_id'
            : parsed.reason;
          if (!parsed.ok || fault !== null) {
            if (chunks.length > 0) break;
            throw new Error(fault ?? '');
          }
          chunks.push(parsed.value);
          from = end + 1;
          ends.push(file.start + from);
        }
        if (chunks.length === 0) throw new Error('it ends within a line');
        file.frontEnds = ends;
      } catch (error) {
        await this.giveUp(file, reasonOf(error));
      }
      return chunks;
    });
  }

  removeFront(attemptId: AttemptId, count: number): Promise<boolean> {
    const file = this.files.get(attemptId);
    if (file === undefined) return Promise.resolve(false);
    return this.inTurn(attemptId, file, async () => {
      const end = count > 0 ? file.frontEnds[count - 1] : undefined;
      if (end !== undefined) file.start = end;
      file.frontEnds = [];
      if (file.start < file.size) return true;
      await this.remove(file);
      return false;
    });
  }

  /** Closes the files; their content is for the next agent. */
  async close(): Promise<void> {
    for (const file of this.files.values()) {
      await file.queue;
      await file.handle?.close();
      file.handle = null;
    }
  }

  /** Runs the calls for one attempt one after another. Drops the file's state once it is empty and no call waits. */
  private async inTurn<T>(attemptId: AttemptId, file: SpoolFile, work: () => Promise<T>): Promise<T> {
    file.calls++;
    const done = file.queue.then(work);
    file.queue = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      file.calls--;
      if (file.calls === 0 && file.size === 0) this.files.delete(attemptId);
    }
  }

  /** Subtracts the size of the file from the total. */
  private async clear(file: SpoolFile): Promise<void> {
    const { handle } = file;
    this.bytes -= file.size;
    file.size = 0;
    file.start = 0;
    file.handle = null;
    await handle?.close();
  }

  private async remove(file: SpoolFile): Promise<void> {
    try {
      await this.clear(file);
      await rm(file.path, { force: true });
    } catch (error) {
      this.options.warn('a spool file cannot be removed', { file: file.path, reason: reasonOf(error) });
    }
  }

  private async giveUp(file: SpoolFile, reason: string): Promise<void> {
    try {
      await this.clear(file);
      await putAside(this.directory, file.path, reason, this.options);
    } catch (error) {
      this.options.warn('a damaged spool file cannot be put aside', {
        file: file.path,
        reason: reasonOf(error),
      });
    }
  }
}

const newFile = (path: string, size: number): SpoolFile => ({
  path,
  handle: null,
  size,
  start: 0,
  frontEnds: [],
  queue: Promise.resolve(),
  calls: 0,
});

const opened = async (file: SpoolFile): Promise<FileHandle> => {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  file.handle ??= await open(file.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  return file.handle;
};

/** Writes after the complete lines: the rest of a failed write is overwritten. */
async function write(file: SpoolFile, data: Buffer): Promise<void> {
  const handle = await opened(file);
  for (let done = 0; done < data.length;) {
    const { bytesWritten } = await handle.write(data, done, data.length - done, file.size + done);
    done += bytesWritten;
  }
  file.size += data.length;
}

/** Reads at most one block after the start. */
async function read(file: SpoolFile): Promise<Buffer> {
  const handle = await opened(file);
  const length = Math.min(SPOOL_LIMITS.blockBytes, file.size - file.start);
  const block = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(block, done, length - done, file.start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return block.subarray(0, done);
}

async function putAside(
  directory: string,
  path: string,
  reason: string,
  { warn }: SpoolOptions,
): Promise<void> {
  const aside = join(directory, DAMAGED);
  const names = (await readdir(aside)).sort();
  for (const old of names.slice(0, Math.max(0, names.length + 1 - SPOOL_LIMITS.damagedFiles))) {
    await rm(join(aside, old), { recursive: true, force: true });
  }
  const target = join(aside, `${Date.now()}-${path.slice(path.lastIndexOf('/') + 1)}`);
  await rename(path, target);
  warn('a spooled log is damaged: it is put aside', { file: target, reason });
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
