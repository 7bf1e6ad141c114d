import { spawn } from 'node:child_process';
import { LineAssembler } from './line-assembler.ts';

/** Result of a count of a directory. */
export type DiskCount =
  | { readonly kind: 'counted'; readonly bytes: number }
  /** The content of the directory does not allow a count; `reason` is for the owner of the task. */
  | { readonly kind: 'uncountable'; readonly reason: string }
  /** The counting program itself has failed, or `stop` was called. */
  | { readonly kind: 'failed'; readonly reason: string };

/** A running count. */
export interface RunningCount {
  readonly result: Promise<DiskCount>;
  /** Ends it; its result is `failed`. */
  stop(): void;
}

/** Address space of the counting program, in KiB: it keeps the inodes of files with several names. */
const MEMORY_KIB = 1024 * 1024;
const MESSAGE_BYTES_MAX = 8192;
const COUNT = `ulimit -v ${MEMORY_KIB}; ulimit -c 0; exec nice -n 19 du --summarize --one-file-system --no-dereference --block-size=1 -- "$1"`;

/**
 * Starts a count of the disk space of a directory: the allocated blocks of each inode, once. Follows no links and no
 * mounts of other file systems. `du` counts in a process of its own, relative to open directories: no content can stop
 * or block this process, lead the count out of the directory, or hide itself by long paths. `timeoutMs`: a count that
 * takes longer is given up, as uncountable.
 */
export function countDisk(directory: string, timeoutMs: number): RunningCount {
  const child = spawn('bash', ['-c', COUNT, 'count', directory], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const messages = new LineAssembler(MESSAGE_BYTES_MAX);
  const found = { output: '', message: '', isUnreadable: false, isOutOfMemory: false };
  const note = (line: string): void => {
    found.message = line;
    // Names cannot imitate it: the program quotes them, and the reason of the system ends the line.
    if (line.endsWith(': Permission denied')) found.isUnreadable = true;
    if (line.endsWith('memory exhausted')) found.isOutOfMemory = true;
  };
  child.stdout.on('data', (bytes: Buffer) => {
    if (found.output.length < MESSAGE_BYTES_MAX) found.output += bytes.toString('latin1');
  });
  child.stderr.on('data', (bytes: Buffer) => {
    for (const line of messages.push(bytes)) note(line);
  });
  const result = new Promise<DiskCount>((resolve) => {
    const timer = setTimeout(() => {
      // Without waiting for its end: a file system that does not answer would delay it.
      resolve(uncountable(`it took longer than ${timeoutMs / 1000} s`));
      child.kill('SIGKILL');
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ kind: 'failed', reason: error.message });
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(countOf(found));
    });
  });
  return { result, stop: () => child.kill('SIGKILL') };
}

function countOf(found: {
  readonly output: string;
  readonly message: string;
  readonly isUnreadable: boolean;
  readonly isOutOfMemory: boolean;
}): DiskCount {
  if (found.isUnreadable) return uncountable('it contains a directory that the worker cannot read');
  if (found.isOutOfMemory) return uncountable('it has too many files with several names');
  // The exit status says nothing: files that are removed during the count are errors of the program.
  const digits = /^([0-9]+)\t/.exec(found.output)?.[1];
  if (digits !== undefined) return { kind: 'counted', bytes: Number(digits) };
  return { kind: 'failed', reason: found.message === '' ? 'du was ended' : found.message };
}

const uncountable = (reason: string): DiskCount => ({ kind: 'uncountable', reason });
