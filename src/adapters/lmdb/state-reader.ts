import type { Row, ScanOptions, StoreReader } from '../../core/ports/store.ts';
import { TABLE_NAMES, type TableName, type Tables } from '../../core/records/tables.ts';
import { copyEnvironment } from './environment-copy.ts';
import { openExistingStore } from './existing-store.ts';
import { openExistingDatabase, type ByteDatabase, type Environment } from './environment.ts';
import { isKey, keyBytes } from './key-bytes.ts';
import { pageMeter } from './page-meter.ts';
import { readAttemptFloor, StoreOpenError, type StoreFormat } from './store-format.ts';
import { scanRows } from './table-scan.ts';
import { decodeValue } from './value-codec.ts';
import type { CopiedStore } from './copy-stores.ts';

export interface StateReader extends StoreReader, CopiedStore {
  /**
   * Ends the snapshot of this turn: the next read sees all earlier commits. Must be called when a commit is reported.
   */
  refresh(): void;
  /** Returns the first number of new attempts. */
  attemptFloor(): number;
  close(): Promise<void>;
}

/**
 * Opens the state store for reading in any thread, after its writer has opened it. Throws `StoreOpenError` if there is
 * no store, or its format is unknown.
 */
export async function openStateReader(directory: string): Promise<StateReader> {
  const { environment, format } = await openExistingStore(directory, 'state');
  try {
    return readerOf(environment, directory, format, openTables(environment, directory));
  } catch (error) {
    await environment.close();
    throw error;
  }
}

type OpenTables = Readonly<Record<TableName, ByteDatabase>>;

function openTables(environment: Environment, directory: string): OpenTables {
  const entries = TABLE_NAMES.map((name): [TableName, ByteDatabase] => {
    const database = openExistingDatabase(environment, name);
    if (database === undefined) throw new StoreOpenError(directory, `it has no table ${name}`);
    return [name, database];
  });
  return Object.fromEntries(entries) as Record<TableName, ByteDatabase>;
}

function readerOf(
  environment: Environment,
  directory: string,
  format: StoreFormat,
  tables: OpenTables,
): StateReader {
  return {
    kind: 'state',
    copyTo: (target) => copyEnvironment(environment, format, target),
    get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
      const bytes = keyBytes(key);
      const value = isKey(bytes) ? tables[table].getBinary(bytes) : undefined;
      return value === undefined ? undefined : decodeValue(table, value);
    },
    *scan<T extends TableName>(table: T, options?: ScanOptions): Generator<Row<T>, void, undefined> {
      for (const { key, value } of scanRows(tables[table], options)) {
        yield { key, value: decodeValue(table, value) };
      }
    },
    refresh: () => environment.resetReadTxn(),
    attemptFloor: () => readAttemptFloor(environment),
    pages: pageMeter(environment, directory),
    close: () => environment.close(),
  };
}
