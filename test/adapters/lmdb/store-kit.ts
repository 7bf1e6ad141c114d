import { spawn, type ChildProcess } from 'node:child_process';
import type { EncodedChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { openJournaledStore, type LocalJournalOptions } from '../../../src/adapters/lmdb/local-journal.ts';
import type { LogWriterOptions } from '../../../src/adapters/lmdb/log-writer.ts';
import { createStoreClient, type StoreClient } from '../../../src/adapters/lmdb/store-client.ts';
import {
  startStoreThread,
  type StoreThread,
  type StoreThreadEvents,
} from '../../../src/adapters/lmdb/store-thread-host.ts';
import { STATE_DISK_LIMITS } from '../../../src/adapters/lmdb/state-writer.ts';
import type { DiskState } from '../../../src/adapters/system/disk-watermark.ts';
import type { WriterOptions } from '../../../src/adapters/lmdb/writer-environment.ts';
import { onReadable } from '../../kit/commit-callbacks.ts';
import type { ChangeSet } from '../../../src/core/records/change-set.ts';
import type { StoreThreadOptions } from '../../../src/adapters/lmdb/store-thread.ts';

/** Real stores for tests: the store thread as the service starts it, and programs that run one in their own process. */

const KIB = 1024;

/** Limits that fit a small test directory. */
const SMALL_LIMITS = { reserveBytes: 512 * KIB, lowBytes: 1024 * KIB, okBytes: 1024 * KIB };

export const threadOptions = (directory: string): StoreThreadOptions => ({
  directory,
  softwareVersion: '0.0.0-test',
  disk: SMALL_LIMITS,
});

const ENTRY = new URL('../../../daemons/threads/store-thread.js', import.meta.url);

export const startStore = (
  options: StoreThreadOptions,
  events: StoreThreadEvents = { diskChanged: () => undefined, warned: () => undefined },
): Promise<StoreThread> => startStoreThread(ENTRY, options, events);

/** Creates the client of a new shard. */
export const attach = (thread: StoreThread, shard = 0): StoreClient =>
  createStoreClient(thread.attachShard(shard));

/** Resolves when the set is durable and readable. */
export const committed = (client: StoreClient, set: ChangeSet): Promise<void> =>
  new Promise((resolve) => {
    client.commit(set, onReadable(resolve));
    client.requestApply();
  });

/**
 * Options of a writer in the test's own thread: a failure is thrown as `<kind>: <detail>` instead of ending the
 * process.
 */
export const writerOptions = (directory: string, over: Partial<WriterOptions> = {}): WriterOptions => ({
  directory,
  softwareVersion: '0.0.0-test',
  disk: STATE_DISK_LIMITS,
  endProcess: ({ kind, detail }) => {
    throw new Error(`${kind}: ${detail}`);
  },
  warn: (text) => {
    throw new Error(text);
  },
  ...over,
});

/** A state store with its journal, without a store thread: each call returns when its sets are on disk. */
export interface DirectStore {
  /** Writes the sets to the journal. Returns false if it does not make them durable: they must be applied. */
  append(sets: readonly EncodedChangeSet[]): boolean;
  /** Applies the appended sets and then these. */
  apply(sets: readonly EncodedChangeSet[]): void;
  diskState(): DiskState;
  close(): Promise<void>;
}

export async function openDirectStore(options: LocalJournalOptions): Promise<DirectStore> {
  const { writer, journal } = await openJournaledStore(options);
  let appended: readonly EncodedChangeSet[] = [];
  let reservedBytes = 0;
  let position = 0;
  const submit = (sets: readonly EncodedChangeSet[], isAwaited: boolean): boolean => {
    let isDurable = false;
    journal.submit({ sets, isAwaited }, (acceptance) => ({ position, isDurable } = acceptance));
    return isDurable;
  };
  return {
    append(sets) {
      reservedBytes += writer.reserve(sets);
      if (!submit(sets, false)) return false;
      appended = [...appended, ...sets];
      return true;
    },
    apply(sets) {
      reservedBytes += writer.reserve(sets);
      if (sets.length > 0) submit(sets, true);
      writer.apply([...appended, ...sets], { mark: journal.appliedMark(position), reservedBytes });
      journal.applied(position);
      appended = [];
      reservedBytes = 0;
    },
    diskState: () => writer.diskState(),
    close() {
      journal.close();
      return writer.close();
    },
  };
}

/** Like `writerOptions`, for the writer of a log store, by default without a task limit. */
export const logWriterOptions = (
  directory: string,
  over: Partial<LogWriterOptions> = {},
): LogWriterOptions => ({ ...writerOptions(directory, over), maxBytesPerTask: over.maxBytesPerTask ?? 0 });

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly process: ChildProcess;
  /** Resolves when the program has printed this many lines. Rejects if it ends first. */
  printed(lines: number): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Runs a program of ./programs. `wrapper` is a command with arguments that runs it. */
export function runProgram(name: string, args: readonly string[], wrapper: readonly string[] = []): Program {
  const path = new URL(`./programs/${name}.js`, import.meta.url).pathname;
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, path, ...args];
  const env = { ...process.env };
  delete env['NODE_OPTIONS'];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let stdout = '';
  let stderr = '';
  let waiting: { lines: number; resolve: () => void }[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const lines = stdout.split('\n').length - 1;
    for (const wait of waiting) if (wait.lines <= lines) wait.resolve();
    waiting = waiting.filter((wait) => wait.lines > lines);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const printed = (lines: number): Promise<void> => {
    const reached = new Promise<void>((resolve) => waiting.push({ lines, resolve }));
    const tooEarly = ended.then((end) => {
      if (waiting.some((wait) => wait.lines === lines))
        throw new Error(`ended too early: ${JSON.stringify(end)}`);
    });
    return Promise.race([reached, tooEarly]);
  };
  return { process: child, printed, ended };
}
