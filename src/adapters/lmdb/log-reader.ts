import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attemptIdOf, taskIdOf, type TaskAddress } from '../../core/ids.ts';
import type { LogReader } from '../../core/ports/log-store.ts';
import type { ScanOptions } from '../../core/ports/store.ts';
import {
  busSequenceOfKey,
  logKeys,
  type LogChunk,
  type LogChunkRecord,
} from '../../core/records/log-chunk.ts';
import { DATA_FILE, openExistingDatabase, type ByteDatabase, type Environment } from './environment.ts';
import { LOG_DATABASES, logChunkOf } from './log-chunk.ts';
import { openCheckedEnvironment } from './open-checked.ts';
import { pageMeter, type PageCounts } from './page-meter.ts';
import { readStoreFormat, StoreOpenError } from './store-format.ts';
import { scanRows } from './table-scan.ts';
import { decodeRecord } from './value-codec.ts';

export interface LogStoreReader extends LogReader {
  /** The next read sees every append made until then. */
  refresh(): void;
  /** What the file of the store is used for. */
  pages(): PageCounts;
  close(): Promise<void>;
}

/** Opens the log store for reading, in any thread, once its writer has opened it. Throws `StoreOpenError`. */
export async function openLogReader(directory: string): Promise<LogStoreReader> {
  if (!existsSync(join(directory, DATA_FILE))) throw new StoreOpenError(directory, 'there is none');
  const environment = openCheckedEnvironment(directory, 'logs');
  try {
    readStoreFormat(environment, directory, 'logs');
    const chunks = openExistingDatabase(environment, LOG_DATABASES.chunks);
    if (chunks === undefined) throw new StoreOpenError(directory, `it has no table ${LOG_DATABASES.chunks}`);
    return readerOf(environment, directory, chunks);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

function readerOf(environment: Environment, directory: string, chunks: ByteDatabase): LogStoreReader {
  const read = (task: TaskAddress, options: ScanOptions): LogChunk[] => {
    const rows = [...scanRows(chunks, { prefix: logKeys.task(task), ...options })];
    return rows.map(({ key, value }) => {
      // The writer alone writes these rows.
      const record = decodeRecord(value) as LogChunkRecord;
      const attemptId = attemptIdOf({ ...task, attemptNumber: record.attemptNumber });
      return logChunkOf(taskIdOf(task), attemptId, busSequenceOfKey(key), record);
    });
  };
  return {
    page: (task, afterBusSeq, limit) => read(task, { after: logKeys.chunk(task, afterBusSeq), limit }),
    lastOf: (task) => read(task, { reverse: true, limit: 1 })[0],
    refresh: () => environment.resetReadTxn(),
    pages: pageMeter(environment, directory),
    close: () => environment.close(),
  };
}
