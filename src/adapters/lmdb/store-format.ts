import { isUuid } from '../../core/ids.ts';
import { keyBytes } from './key-bytes.ts';
import { openDatabase, openExistingDatabase, type ByteDatabase, type Environment } from './environment.ts';
import type { AppliedMark } from '../../core/ports/journal.ts';
import type { EnvironmentKind } from '../../core/ports/store.ts';

/**
 * Version of this program's format for each kind of environment. It increases when an older program could not read the
 * format, or would miss data: a program of state format 1 does not know the journal (docs/decisions/journal.md).
 */
export const FORMAT_VERSIONS = { state: 2, logs: 1 } as const satisfies Record<EnvironmentKind, number>;
/** The oldest format that this program reads; the next writer upgrades it. */
const OLDEST_VERSIONS = { state: 1, logs: 1 } as const satisfies Record<EnvironmentKind, number>;

/** Reports whether this program can read the store. */
export const isKnownFormat = ({ kind, format }: Pick<StoreFormat, 'kind' | 'format'>): boolean =>
  format >= OLDEST_VERSIONS[kind] && format <= FORMAT_VERSIONS[kind];

/** Description of an environment, stored as JSON so that any version, and a person, can read it. */
export interface StoreFormat {
  readonly kind: EnvironmentKind;
  readonly format: number;
  /** Version of the program that made the store. */
  readonly createdBy: string;
  /** Random id of the store. */
  readonly storeId: string;
}

/** A store that cannot be opened: the message is one line with its path and the reason. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';

  constructor(directory: string, reason: string, options?: ErrorOptions) {
    super(`the store in ${directory} cannot be opened: ${reason}`, options);
  }
}

export const META_DATABASE = 'meta';
const FORMAT_KEY = keyBytes('format');

/**
 * Opens the meta database of an existing store. Throws `StoreOpenError` if the format is missing, damaged, newer or of
 * another kind.
 */
export function readStoreFormat(
  environment: Environment,
  directory: string,
  kind: EnvironmentKind,
): StoreFormat {
  const bytes = openExistingDatabase(environment, META_DATABASE)?.get(FORMAT_KEY);
  if (bytes === undefined) throw new StoreOpenError(directory, 'it holds no format record');
  const format = parseFormat(bytes);
  if (format === null) throw new StoreOpenError(directory, 'its format record is damaged');
  if (format.kind !== kind)
    throw new StoreOpenError(directory, `it is a store of ${format.kind}, not of ${kind}`);
  if (!isKnownFormat(format)) {
    const known = FORMAT_VERSIONS[kind];
    throw new StoreOpenError(
      directory,
      `it has format ${format.format} (made by version ${format.createdBy}) and this program knows format ${known}: use the program that wrote it`,
    );
  }
  return format;
}

/** Writes the format into a new store. The transaction is flushed. */
export function writeStoreFormat(environment: Environment, format: StoreFormat): void {
  const meta = openDatabase(environment, META_DATABASE);
  environment.transactionSync(() => {
    meta.putSync(FORMAT_KEY, Buffer.from(JSON.stringify(format), 'utf8'));
  });
}

/** First number of attempts after a restore, as text. */
const ATTEMPT_FLOOR_KEY = keyBytes('attemptFloor');

/** Returns the first number of new attempts: 1 in a store that was never restored. */
export function readAttemptFloor(environment: Environment): number {
  const bytes = openExistingDatabase(environment, META_DATABASE)?.get(ATTEMPT_FLOOR_KEY);
  return bytes === undefined ? 1 : Number(Buffer.from(bytes).toString('utf8'));
}

/** Must be called in a transaction. */
export function putAttemptFloor(environment: Environment, floor: number): void {
  openDatabase(environment, META_DATABASE).putSync(ATTEMPT_FLOOR_KEY, Buffer.from(String(floor), 'utf8'));
}

/** Name of the row with the current pass of the journal, as text (docs/decisions/journal.md). */
const JOURNAL_PASS_NAME = 'journalEpoch';

/** Returns the pass of the journal whose records are not in the tables yet; 0 in a store that never had a journal. */
export function readJournalPass(environment: Environment): number {
  const bytes = openExistingDatabase(environment, META_DATABASE)?.get(keyBytes(JOURNAL_PASS_NAME));
  return bytes === undefined ? 0 : Number(Buffer.from(bytes).toString('utf8'));
}

/** Returns the row which records that the journal is in a pass, and that the tables contain all earlier ones. */
export const journalPassMark = (pass: number): AppliedMark => ({
  key: JOURNAL_PASS_NAME,
  value: String(pass),
});

/** Name of the row of a store of a cluster: which records of which log its tables contain. */
export const CLUSTER_MARK_KEY = 'clusterMark';

/** Must be called in a transaction. After that, the store is that of a single node. */
export function removeClusterMark(environment: Environment): void {
  openDatabase(environment, META_DATABASE).removeSync(keyBytes(CLUSTER_MARK_KEY));
}

/** Must be called in a transaction. */
export function putAppliedMark(meta: ByteDatabase, { key, value }: AppliedMark): void {
  meta.putSync(keyBytes(key), Buffer.from(value, 'utf8'));
}

/** Returns the value of the row; null without one. */
export function readAppliedMark(meta: ByteDatabase, key: string): string | null {
  const bytes = meta.get(keyBytes(key));
  return bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
}

/** Reports whether nothing was written yet: neither a table nor a format, as after an interrupted first start. */
export function isFresh(environment: Environment): boolean {
  const names = [...environment.getKeys()];
  if (names.length === 0) return true;
  if (names.length > 1 || names[0] !== META_DATABASE) return false;
  const meta: ByteDatabase | undefined = openExistingDatabase(environment, META_DATABASE);
  return meta !== undefined && meta.getKeysCount() === 0;
}

function parseFormat(bytes: Uint8Array): StoreFormat | null {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { kind, format, createdBy, storeId } = value as Record<string, unknown>;
  if (kind !== 'state' && kind !== 'logs') return null;
  if (typeof format !== 'number' || !Number.isInteger(format) || format < 1) return null;
  if (typeof createdBy !== 'string' || typeof storeId !== 'string' || !isUuid(storeId)) return null;
  return { kind, format, createdBy, storeId };
}
