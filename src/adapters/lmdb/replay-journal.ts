import { TABLE_NAMES, type TableName } from '../../core/records/tables.ts';
import { applyChange } from './apply-change.ts';
import { openDatabase, type ByteDatabase, type Environment } from './environment.ts';
import { readJournal } from './journal.ts';
import { latestRows } from './latest-rows.ts';
import { estimateWriteBytes } from './estimate-write-bytes.ts';
import {
  journalPassMark,
  META_DATABASE,
  putAppliedMark,
  readJournalPass,
  StoreOpenError,
} from './store-format.ts';

export type StateTables = Readonly<Record<TableName, ByteDatabase>>;

/** Opens the tables of the state store, which are created if missing. */
export function openStateTables(environment: Environment): StateTables {
  const entries = TABLE_NAMES.map((name): [TableName, ByteDatabase] => [
    name,
    openDatabase(environment, name),
  ]);
  return Object.fromEntries(entries) as Record<TableName, ByteDatabase>;
}

interface ReplayedStore {
  readonly environment: Environment;
  readonly directory: string;
  readonly storeId: string;
  /** Reports whether a transaction that writes up to this many bytes of pages fits on the disk. */
  readonly hasRoom: (bytes: number) => boolean;
}

/**
 * Replays the journal into the tables, as one flushed transaction, after which the journal is in a pass without records
 * (docs/decisions/journal.md). Must be called with the lock of the store, before any reader. Throws `StoreOpenError`
 * for a damaged journal and for a full disk, and the error of a failed transaction.
 */
export function replayJournal({ environment, directory, storeId, hasRoom }: ReplayedStore): void {
  const pass = readJournalPass(environment);
  const sets = readJournal(directory, storeId, pass);
  if (sets.length === 0) return;
  const room = estimateWriteBytes(sets);
  if (!hasRoom(room)) {
    const reason = `the journal has changes that are not in the tables yet; they need ${room} bytes, and the disk is full`;
    throw new StoreOpenError(directory, reason);
  }
  const tables = openStateTables(environment);
  const meta = openDatabase(environment, META_DATABASE);
  environment.transactionSync(() => {
    for (const change of latestRows(sets)) applyChange(tables[change.table], change);
    putAppliedMark(meta, journalPassMark(pass + 1));
  });
}
