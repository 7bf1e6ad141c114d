import { JOB_TABLES, SETTINGS_TABLES } from '../../../src/adapters/lmdb/touched-jobs.ts';
import type { Row, ScanOptions, StoreReader } from '../../../src/core/ports/store.ts';
import type { TableName, Tables } from '../../../src/core/records/tables.ts';

/**
 * A reader that checks whether a state depends only on rows whose changes are noticed: those of the job itself, and
 * settings.
 */
export class JobReads implements StoreReader {
  readonly #reader: StoreReader;
  readonly #job: string;
  #isCovered = true;

  constructor(reader: StoreReader, job: string) {
    this.#reader = reader;
    this.#job = job;
  }

  /** Whether all reads until now were of such rows. */
  get isCovered(): boolean {
    return this.#isCovered;
  }

  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    this.#note(table, key);
    return this.#reader.get(table, key);
  }

  scan<T extends TableName>(table: T, options: ScanOptions = {}): Iterable<Row<T>> {
    this.#note(table, options.prefix ?? '');
    return this.#reader.scan(table, options);
  }

  #note(table: TableName, key: string): void {
    if (SETTINGS_TABLES.has(table)) return;
    if (!JOB_TABLES.has(table) || !key.startsWith(this.#job)) this.#isCovered = false;
  }
}
