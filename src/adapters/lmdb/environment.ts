import { open, type Database, type RootDatabase } from 'lmdb';
import type { EnvironmentKind } from '../../core/ports/store.ts';

/** A named database whose keys and values are bytes; keys are in the order of their bytes. */
export type ByteDatabase = Database<Uint8Array, Uint8Array>;
export type Environment = RootDatabase<Uint8Array, string>;

const GIB = 2 ** 30;

/** Maximum size of a file before it must be mapped again: address space, not memory. */
const MAP_BYTES = { state: 256 * GIB, logs: 1024 * GIB } as const satisfies Record<EnvironmentKind, number>;

const MAX_DATABASES = 64;
/**
 * Maximum number of read transactions of all threads of all processes
 * (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine: 126 by default).
 */
const MAX_READERS = 1024;

/** Name of the data file of an environment. */
export const DATA_FILE = 'data.mdb';

/**
 * Opens the LMDB environment in a directory, which is created if it is missing. Every thread must use these options,
 * because all share the environment of the first. A commit is on disk when it returns (`overlappingSync: false`), and
 * after a crash the newest flushed transaction is used (`safeRestore`):
 * docs/dependency-hazards.md#d4-acknowledgement-before-the-flush.
 */
export function openEnvironment(directory: string, kind: EnvironmentKind): Environment {
  const options = {
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    safeRestore: true,
    mapSize: MAP_BYTES[kind],
    maxDbs: MAX_DATABASES,
    maxReaders: MAX_READERS,
  };
  return open<Uint8Array, string>(options);
}

/** Opens a named database, which is created if it is missing. */
export function openDatabase(environment: Environment, name: string): ByteDatabase {
  return environment.openDB<Uint8Array, Uint8Array>(name, { encoding: 'binary', keyEncoding: 'binary' });
}

/** Opens a named database, or returns undefined if it is missing. */
export function openExistingDatabase(environment: Environment, name: string): ByteDatabase | undefined {
  const options = { encoding: 'binary', keyEncoding: 'binary', create: false } as const;
  const database: ByteDatabase | undefined = environment.openDB<Uint8Array, Uint8Array>(name, options);
  return database;
}
