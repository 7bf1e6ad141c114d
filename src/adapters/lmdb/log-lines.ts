import type { AttemptAddress } from '../../core/ids.ts';
import { logKeys, type LogChunk } from '../../core/records/log-chunk.ts';
import {
  LOG_START,
  positionAfter,
  type LineMark,
  type LogLinesRecord,
} from '../../core/records/log-lines.ts';
import type { ByteDatabase } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { scanRows } from './table-scan.ts';
import { decodeRecord, encodeRecord } from './value-codec.ts';

/**
 * Index of the lines of logs: for each attempt the position at its end, and a mark about every 64 Ki characters. A
 * reader finds a line by reading from the mark before it.
 */

/** Characters between two marks: the most that is read before the wanted line, apart from one chunk. */
const CHARACTERS_BETWEEN_MARKS = 65_536;

const NOTHING: LogLinesRecord = {
  version: 1,
  ...LOG_START,
  busSeq: 0,
  unmarked: 0,
  markedLines: -1,
  isExact: true,
};

/** Lines counted in one transaction: one row per attempt, read once and written once, and the new marks. */
export interface LogLines {
  /** Counts a stored chunk. `isFirst` is true if no chunk of the attempt was stored before this transaction. */
  count(attempt: AttemptAddress, chunk: Pick<LogChunk, 'busSeq' | 'stream' | 'data'>, isFirst: boolean): void;
  save(): void;
}

export function createLogLines(lines: ByteDatabase): LogLines {
  const rows = new Map<string, LogLinesRecord>();
  return {
    count(attempt, { busSeq, stream, data }, isFirst) {
      const key = logKeys.attempt(attempt);
      const before = rows.get(key) ?? storedEnd(lines, attempt) ?? { ...NOTHING, isExact: isFirst };
      const isExact = before.isExact && busSeq > before.busSeq;
      let { unmarked, markedLines } = before;
      if (isExact && unmarked >= CHARACTERS_BETWEEN_MARKS && before.lines > markedLines) {
        const mark: LineMark = { lines: before.lines, open: before.open, afterBusSeq: busSeq - 1 };
        lines.putSync(keyBytes(logKeys.mark(attempt, mark.lines)), encodeRecord(mark));
        unmarked = 0;
        markedLines = mark.lines;
      }
      rows.set(key, {
        version: 1,
        ...positionAfter(before, stream, data),
        busSeq: Math.max(busSeq, before.busSeq),
        unmarked: unmarked + data.length,
        markedLines,
        isExact,
      });
    },
    save() {
      for (const [key, record] of rows) lines.putSync(keyBytes(key), encodeRecord(record));
    },
  };
}

/** Returns the last mark before the end of a line, from 1; the start of the log if no mark is valid. */
export function markBefore(lines: ByteDatabase, attempt: AttemptAddress, line: number): LineMark {
  const start: LineMark = { ...LOG_START, afterBusSeq: 0 };
  if (storedEnd(lines, attempt)?.isExact !== true) return start;
  const [row] = scanRows(lines, {
    prefix: logKeys.marks(attempt),
    after: logKeys.mark(attempt, line),
    reverse: true,
    limit: 1,
  });
  // Only `count` writes these rows.
  return row === undefined ? start : (decodeRecord(row.value) as LineMark);
}

function storedEnd(lines: ByteDatabase, attempt: AttemptAddress): LogLinesRecord | undefined {
  const bytes = lines.get(keyBytes(logKeys.attempt(attempt)));
  // Only `save` writes these rows.
  return bytes === undefined ? undefined : (decodeRecord(bytes) as LogLinesRecord);
}
