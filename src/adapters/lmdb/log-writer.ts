import { attemptIdOf, taskIdOf, type AttemptAddress, type TaskId } from '../../core/ids.ts';
import type {
  AppendOutcome,
  IncomingLogChunk,
  LogStoreWriter,
  RemovalOutcome,
} from '../../core/ports/log-store.ts';
import { PREVIEW_LIMITS } from '../../core/previews/preview-limits.ts';
import { logKeys, type LogChunk, type LogChunkRecord } from '../../core/records/log-chunk.ts';
import {
  busSequenceOf,
  numbered,
  rebased,
  streamFound,
  type BusSequenceState,
} from '../../core/wire/bus-sequence.ts';
import {
  NOTHING_SEEN,
  hasSequence,
  addSequence,
  type SequenceRanges,
} from '../../core/wire/sequence-ranges.ts';
import type { ByteDatabase } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { LOG_DATABASES, logChunkOf } from './log-chunk.ts';
import { createLogLines } from './log-lines.ts';
import { createLogTotals } from './log-totals.ts';
import { PREVIEW_DATABASES, putPreview } from './preview-rows.ts';
import { jobsWithRows } from './jobs-with-rows.ts';
import { removePrefixRows } from './remove-prefix.ts';
import { decodeRecord, encodeRecord } from './value-codec.ts';
import {
  openWriterEnvironment,
  type DiskLimits,
  type WriterEnvironment,
  type WriterOptions,
} from './writer-environment.ts';

const MIB = 2 ** 20;

/** Logs stop before submissions do: disk space below these marks is reserved for the state store. */
export const LOG_DISK_LIMITS: DiskLimits = {
  reserveBytes: 64 * MIB,
  lowBytes: 256 * MIB,
  okBytes: 320 * MIB,
};

/** Maximum number of rows per removal, so that appends are not delayed for long. */
export const LOG_ROWS_REMOVED_AT_ONCE = 5_000;

/** Key of the `bus_seq` state in the meta database. */
export const BUS_SEQUENCE_KEY = keyBytes('busSequence');

/** Pages that any append may write in addition to its rows, and per chunk. */
const TRANSACTION_OVERHEAD_BYTES = 1 * MIB;
const ROOM_PER_CHUNK = 7 * 4096;
/** With the pages of the rows that it replaces. */
const ROOM_PER_PREVIEW = PREVIEW_LIMITS.bytes + 10 * 4096;
/** A removal rewrites the leaf of each row: of chunks, of attempts, of totals, of lines and of previews. */
const ROOM_FOR_REMOVAL = TRANSACTION_OVERHEAD_BYTES + 5 * LOG_ROWS_REMOVED_AT_ONCE * 4096;

/** The single writer of the log store, used by one thread. */
export interface LogWriter extends LogStoreWriter {
  readonly storeId: string;
  /** Closes the store. All data is already flushed. */
  close(): Promise<void>;
}

export interface LogWriterOptions extends WriterOptions {
  /** Maximum bytes of log stored per task, over all its attempts; 0 means no limit. */
  readonly maxBytesPerTask: number;
}

/** Opens the log store for writing; creates it if the directory is empty. Throws `StoreOpenError`. */
export async function openLogWriter(options: LogWriterOptions): Promise<LogWriter> {
  const environment = await openWriterEnvironment('logs', options);
  return writerOf(environment, options.maxBytesPerTask);
}

function writerOf(environment: WriterEnvironment, maxBytesPerTask: number): LogWriter {
  const chunks = environment.openDatabase(LOG_DATABASES.chunks);
  const attempts = environment.openDatabase(LOG_DATABASES.attempts);
  const totals = environment.openDatabase(LOG_DATABASES.totals);
  const lines = environment.openDatabase(LOG_DATABASES.lines);
  const previews = environment.openDatabase(PREVIEW_DATABASES.previews);
  const newest = environment.openDatabase(PREVIEW_DATABASES.newest);
  let sequence = readBusSequence(environment.meta);

  const saveSequence = (state: BusSequenceState): void => {
    environment.meta.putSync(BUS_SEQUENCE_KEY, encodeRecord(state));
  };

  const removeUnder = (prefix: string): RemovalOutcome => {
    if (!environment.hasRoom(ROOM_FOR_REMOVAL)) return 'disk-low';
    let isMore = false;
    environment.transact(() => {
      for (const database of [chunks, attempts, totals, lines, previews, newest]) {
        const removed = removePrefixRows(database, keyBytes(prefix), LOG_ROWS_REMOVED_AT_ONCE);
        isMore ||= removed === LOG_ROWS_REMOVED_AT_ONCE;
      }
    });
    return isMore ? 'more' : 'done';
  };

  return {
    storeId: environment.storeId,
    streamFound(stream) {
      const next = streamFound(sequence, stream);
      if (next === sequence) return;
      environment.transact(() => saveSequence(next));
      sequence = next;
    },
    append(incoming): AppendOutcome {
      if (sequence === null) throw new Error('append before streamFound: no chunk can be numbered');
      const isLow = environment.diskState() === 'low' || !environment.hasRoom(estimateWriteBytes(incoming));
      if (isLow) return { ok: false, reason: 'disk-low' };
      let state = sequence;
      const stored: LogChunk[] = [];
      const tasks = new Set<TaskId>();
      const taken = createLogTotals(totals, maxBytesPerTask);
      const counted = createLogLines(lines);
      const early: IncomingLogChunk[] = [];
      let duplicates = 0;
      const inOrder = [...incoming].sort((a, b) => a.streamSequence - b.streamSequence);
      environment.transact(() => {
        const seen = createSeenChunks(attempts);
        for (const chunk of inOrder) {
          const { attempt, seqNum } = chunk;
          if (seen.has(attempt, seqNum)) {
            duplicates++;
            continue;
          }
          if (!chunk.mayOvertake && seqNum > 1 && !seen.has(attempt, seqNum - 1)) {
            early.push(chunk);
            continue;
          }
          seen.add(attempt, seqNum);
          tasks.add(taskIdOf(attempt));
          const data = taken.take(attempt, chunk.data);
          if (data === null) continue;
          if (isNumberTaken(chunks, state, chunk)) state = rebased(state);
          const put = putChunk(chunks, { ...chunk, data }, busSequenceOf(state, chunk.streamSequence));
          stored.push(put);
          counted.count(attempt, put, seen.wasEmpty(attempt));
          state = numbered(state, chunk.streamSequence);
        }
        seen.save();
        taken.save();
        counted.save();
        if (stored.length > 0) saveSequence(state);
      });
      sequence = state;
      return { ok: true, stored, duplicates, early, tasks: [...tasks], cut: taken.cut };
    },
    keepPreviews(incoming) {
      const room = TRANSACTION_OVERHEAD_BYTES + incoming.length * ROOM_PER_PREVIEW;
      if (environment.diskState() === 'low' || !environment.hasRoom(room)) return 'disk-low';
      environment.transact(() => {
        for (const preview of incoming) putPreview({ previews, newest }, preview);
      });
      return 'stored';
    },
    removeJob: (job) => removeUnder(logKeys.job(job)),
    loggedJobs: (after, limit) => jobsWithRows([attempts, previews], after, limit),
    close: () => environment.close(),
  };
}

/** Returns the `bus_seq` state; null before the first stream was found. */
export function readBusSequence(meta: ByteDatabase): BusSequenceState | null {
  const bytes = meta.get(BUS_SEQUENCE_KEY);
  // Only saveSequence writes this row.
  return bytes === undefined ? null : (decodeRecord(bytes) as BusSequenceState);
}

/** Reports whether a new chunk would overwrite another one: the stream was reset without notice. */
const isNumberTaken = (chunks: ByteDatabase, state: BusSequenceState, chunk: IncomingLogChunk): boolean =>
  chunk.streamSequence <= state.lastStreamSequence &&
  chunks.doesExist(keyBytes(logKeys.chunk(chunk.attempt, busSequenceOf(state, chunk.streamSequence))));

function putChunk(chunks: ByteDatabase, incoming: IncomingLogChunk, busSeq: number): LogChunk {
  const { attempt, seqNum, stream, data, at, receivedAt } = incoming;
  const record: LogChunkRecord = {
    version: 1,
    attemptNumber: attempt.attemptNumber,
    seqNum,
    stream,
    data,
    at,
    receivedAt,
  };
  chunks.putSync(keyBytes(logKeys.chunk(attempt, busSeq)), encodeRecord(record));
  return logChunkOf(taskIdOf(attempt), attemptIdOf(attempt), busSeq, record);
}

/** Stored chunks of attempts: one row per attempt, read once and written once per transaction. */
interface SeenChunks {
  has(attempt: AttemptAddress, seqNum: number): boolean;
  /** Reports whether no chunk of the attempt was stored before this transaction. */
  wasEmpty(attempt: AttemptAddress): boolean;
  add(attempt: AttemptAddress, seqNum: number): void;
  save(): void;
}

function createSeenChunks(attempts: ByteDatabase): SeenChunks {
  interface Row {
    ranges: SequenceRanges;
    readonly wasEmpty: boolean;
    isChanged: boolean;
  }
  const rows = new Map<string, Row>();
  const rowOf = (key: string): Row => {
    const known = rows.get(key);
    if (known) return known;
    const bytes = attempts.get(keyBytes(key));
    // Only `save` writes these rows.
    const row = {
      ranges: bytes === undefined ? NOTHING_SEEN : (decodeRecord(bytes) as SequenceRanges),
      wasEmpty: bytes === undefined,
      isChanged: false,
    };
    rows.set(key, row);
    return row;
  };
  return {
    has: (attempt, seqNum) => hasSequence(rowOf(logKeys.attempt(attempt)).ranges, seqNum),
    wasEmpty: (attempt) => rowOf(logKeys.attempt(attempt)).wasEmpty,
    add(attempt, seqNum) {
      const row = rowOf(logKeys.attempt(attempt));
      row.ranges = addSequence(row.ranges, seqNum);
      row.isChanged = true;
    },
    save() {
      for (const [key, { ranges, isChanged }] of rows) {
        if (isChanged) attempts.putSync(keyBytes(key), encodeRecord(ranges));
      }
    },
  };
}

/** Returns an upper estimate of the bytes of pages that an append may write. */
function estimateWriteBytes(incoming: readonly IncomingLogChunk[]): number {
  let room = TRANSACTION_OVERHEAD_BYTES;
  // A character has up to three bytes in UTF-8.
  for (const { data } of incoming) room += ROOM_PER_CHUNK + 3 * data.length;
  return room;
}
