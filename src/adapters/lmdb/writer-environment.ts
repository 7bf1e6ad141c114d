import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { lockDirectory, DirectoryLockError } from '../system/disk-lock.ts';
import { createDiskReserve } from '../system/disk-reserve.ts';
import { makeDirectory } from '../system/make-directory.ts';
import { freeBytes, nextDiskState, type DiskState, type DiskWatermarks } from '../system/disk-watermark.ts';
import { DATA_FILE, openDatabase, type ByteDatabase, type Environment } from './environment.ts';
import { openCheckedEnvironment } from './open-checked.ts';
import {
  FORMAT_VERSIONS,
  isFresh,
  META_DATABASE,
  readStoreFormat,
  StoreOpenError,
  writeStoreFormat,
} from './store-format.ts';
import type { EnvironmentKind } from '../../core/ports/store.ts';
import type { StoreFailure } from './fail-stop.ts';

/** Ends the process; nothing may be acknowledged afterwards. Must not return. */
type EndProcess = (failure: StoreFailure) => never;

export interface DiskLimits extends DiskWatermarks {
  /** Number of bytes reserved ahead of the file's growth. */
  readonly reserveBytes: number;
}

export interface WriterOptions {
  readonly directory: string;
  /** Version of this program, recorded in a new store. */
  readonly softwareVersion: string;
  readonly disk: DiskLimits;
  readonly endProcess: EndProcess;
  readonly warn: (text: string) => void;
}

/** An environment owned by its single writer. */
export interface WriterEnvironment {
  readonly storeId: string;
  readonly root: Environment;
  readonly meta: ByteDatabase;
  openDatabase(name: string): ByteDatabase;
  /**
   * Reports whether a transaction that writes up to this many bytes of pages fits on the disk. Reserves ahead as the
   * file grows.
   */
  hasRoom(bytes: number): boolean;
  /** Runs one transaction, as a whole or not at all, on disk when this returns. Ends the process on any error. */
  transact(action: () => void): void;
  /** Returns the current state of the disk. */
  diskState(): DiskState;
  close(): Promise<void>;
}

/** The size of the file is read again after transactions may have added this many bytes. */
const LOOK_AFTER_BYTES = 16 * 2 ** 20;

/** Interval of clearing stale slots of crashed readers. */
const READER_CHECK_MS = 60_000;

/**
 * Opens an environment for writing: takes the lock, creates the store if the directory is empty, checks its format.
 * Throws `StoreOpenError` if another writer has the lock, or this program cannot write the store.
 */
export async function openWriterEnvironment(
  kind: EnvironmentKind,
  options: WriterOptions,
): Promise<WriterEnvironment> {
  const { directory, disk, endProcess } = options;
  const lock = lockStore(directory);
  let environment: Environment | undefined;
  try {
    environment = openCheckedEnvironment(directory, kind);
    const storeId = formatOf(environment, kind, options);
    return writerOf(environment, storeId, { ...options, disk, endProcess }, () => lock.release());
  } catch (error) {
    await environment?.close();
    lock.release();
    throw error;
  }
}

function lockStore(directory: string): { release(): void } {
  try {
    makeDirectory(directory, 0o700);
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof DirectoryLockError)
      throw new StoreOpenError(directory, error.message, { cause: error });
    throw new StoreOpenError(directory, describe(error), { cause: error });
  }
}

function formatOf(environment: Environment, kind: EnvironmentKind, options: WriterOptions): string {
  if (isFresh(environment)) {
    const storeId = randomUUID();
    writeStoreFormat(environment, {
      kind,
      format: FORMAT_VERSIONS[kind],
      createdBy: options.softwareVersion,
      storeId,
    });
    return storeId;
  }
  const known = readStoreFormat(environment, options.directory, kind);
  if (known.format < FORMAT_VERSIONS[kind])
    writeStoreFormat(environment, { ...known, format: FORMAT_VERSIONS[kind] });
  return known.storeId;
}

function writerOf(
  environment: Environment,
  storeId: string,
  options: WriterOptions,
  release: () => void,
): WriterEnvironment {
  const { directory, disk, endProcess, warn } = options;
  const file = join(directory, DATA_FILE);
  const reserve = createDiskReserve({
    file,
    reserveBytes: disk.reserveBytes,
    onUnavailable: (reason) => {
      warn(`disk blocks cannot be reserved ahead in ${directory}, only the free space is watched: ${reason}`);
    },
  });
  const readerCheck = setInterval(() => environment.readerCheck(), READER_CHECK_MS);
  readerCheck.unref();
  const fileBytes = (): number => statSync(file).size;
  let state: DiskState = 'ok';
  /** The latest known size of the file, and its maximum growth since: reading it takes microseconds. */
  let sizeSeen = fileBytes();
  let promisedBytes = 0;
  return {
    storeId,
    root: environment,
    meta: openDatabase(environment, META_DATABASE),
    openDatabase: (name) => openDatabase(environment, name),
    hasRoom(bytes) {
      promisedBytes += bytes;
      if (promisedBytes <= LOOK_AFTER_BYTES && reserve.hold(sizeSeen, promisedBytes)) return true;
      sizeSeen = fileBytes();
      promisedBytes = bytes;
      return reserve.hold(sizeSeen, bytes);
    },
    transact(action) {
      try {
        environment.transactionSync(() => {
          action();
        });
      } catch (error) {
        endProcess({ kind: 'commit-failed', detail: `a commit to ${directory} failed: ${describe(error)}` });
      }
    },
    diskState() {
      const size = fileBytes();
      const isHeld = reserve.hold(size, 0) && !reserve.isShort(size);
      state = isHeld ? nextDiskState(state, freeBytes(directory), disk) : 'low';
      return state;
    },
    async close() {
      clearInterval(readerCheck);
      await environment.close();
      release();
    },
  };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
