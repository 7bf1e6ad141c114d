import { attemptIdOf, taskIdOf, type TaskAddress } from '../../core/ids.ts';
import type { LogReader } from '../../core/ports/log-store.ts';
import {
  busSequenceOfKey,
  logKeys,
  type LogChunk,
  type LogChunkRecord,
  type LogTotalRecord,
} from '../../core/records/log-chunk.ts';
import { isGapless, hasSequence, type SequenceRanges } from '../../core/wire/sequence-ranges.ts';
import { copyEnvironment } from './environment-copy.ts';
import { openExistingStore } from './existing-store.ts';
import { openExistingDatabase, type ByteDatabase, type Environment } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { LOG_DATABASES, logChunkOf } from './log-chunk.ts';
import { markBefore } from './log-lines.ts';
import { pageMeter } from './page-meter.ts';
import {
  jobPreviews,
  newestPreview,
  PREVIEW_DATABASES,
  taskPreviews,
  type PreviewTables,
} from './preview-rows.ts';
import { StoreOpenError, type StoreFormat } from './store-format.ts';
import { scanRows } from './table-scan.ts';
import { decodeRecord } from './value-codec.ts';
import type { CopiedStore } from './copy-stores.ts';

export interface LogStoreReader extends LogReader, CopiedStore {
  /** Makes all earlier appends visible to the next read. */
  refresh(): void;
  close(): Promise<void>;
}

/** Opens the log store for reading in any thread, after its writer has opened it. Throws `StoreOpenError`. */
export async function openLogReader(directory: string): Promise<LogStoreReader> {
  const { environment, format } = await openExistingStore(directory, 'logs');
  try {
    const databaseOf = (name: string): ByteDatabase => {
      const database = openExistingDatabase(environment, name);
      if (database === undefined) throw new StoreOpenError(directory, `it has no table ${name}`);
      return database;
    };
    const { chunks, attempts, totals, lines } = LOG_DATABASES;
    return readerOf(
      environment,
      directory,
      format,
      databaseOf(chunks),
      databaseOf(attempts),
      databaseOf(totals),
      {
        previews: databaseOf(PREVIEW_DATABASES.previews),
        newest: databaseOf(PREVIEW_DATABASES.newest),
      },
      databaseOf(lines),
    );
  } catch (error) {
    await environment.close();
    throw error;
  }
}

function readerOf(
  environment: Environment,
  directory: string,
  format: StoreFormat,
  chunks: ByteDatabase,
  attempts: ByteDatabase,
  totals: ByteDatabase,
  images: PreviewTables,
  lines: ByteDatabase,
): LogStoreReader {
  // Only the writer writes these rows.
  const rangesOf = (value: Uint8Array): SequenceRanges => decodeRecord(value) as SequenceRanges;
  const chunkOf = (task: TaskAddress, { key, value }: { key: string; value: Uint8Array }): LogChunk => {
    const record = decodeRecord(value) as LogChunkRecord;
    const attemptId = attemptIdOf({ ...task, attemptNumber: record.attemptNumber });
    return logChunkOf(taskIdOf(task), attemptId, busSequenceOfKey(key), record);
  };
  return {
    page(task, afterBusSeq, limit, enough = Infinity) {
      const page: LogChunk[] = [];
      let characters = 0;
      const after = logKeys.chunk(task, afterBusSeq);
      for (const row of scanRows(chunks, { prefix: logKeys.task(task), after, limit })) {
        const chunk = chunkOf(task, row);
        page.push(chunk);
        characters += chunk.data.length;
        if (characters >= enough) break;
      }
      return page;
    },
    extent(task) {
      const [last] = [...scanRows(chunks, { prefix: logKeys.task(task), reverse: true, limit: 1 })];
      const total = totals.get(keyBytes(logKeys.total(task)));
      return {
        lastBusSeq: last === undefined ? 0 : busSequenceOfKey(last.key),
        bytes: total === undefined ? 0 : (decodeRecord(total) as LogTotalRecord).bytes,
      };
    },
    arrival(task, last) {
      const row = attempts.get(keyBytes(logKeys.attempt(last.attempt)));
      if (row === undefined || !hasSequence(rangesOf(row), last.seqNum)) return 'behind';
      const rows = [...scanRows(attempts, { prefix: logKeys.task(task) })];
      return rows.every(({ value }) => isGapless(rangesOf(value))) ? 'whole' : 'gaps';
    },
    previews: (task) => taskPreviews(images.previews, task),
    jobPreviews: (job, query) => jobPreviews(images.previews, job, query),
    newestPreview: (job) => newestPreview(images, job),
    markBefore: (attempt, line) => markBefore(lines, attempt, line),
    refresh: () => environment.resetReadTxn(),
    kind: 'logs',
    pages: pageMeter(environment, directory),
    copyTo: (target) => copyEnvironment(environment, format, target),
    close: () => environment.close(),
  };
}
