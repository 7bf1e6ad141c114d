import { taskIdOf, type TaskAddress, type TaskId } from '../../core/ids.ts';
import { logKeys, type LogTotalRecord } from '../../core/records/log-chunk.ts';
import type { ByteDatabase } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { decodeRecord, encodeRecord } from './value-codec.ts';

const NOTHING: LogTotalRecord = { version: 1, bytes: 0, isCut: false };

/** How much of each task is stored, for one transaction: one row a task, read once and written once. */
export interface LogTotals {
  /** What of the data is to be stored: all of it, as much as there is room for with a line that says so, or null for nothing. */
  take(task: TaskAddress, data: string): string | null;
  /** Tasks that have reached the limit since this was made. */
  readonly cut: readonly TaskId[];
  save(): void;
}

/** `maxBytes` is the limit for one task over all its attempts; 0 is none. */
export function createLogTotals(totals: ByteDatabase, maxBytes: number): LogTotals {
  const rows = new Map<string, { total: LogTotalRecord; isChanged: boolean }>();
  const cut: TaskId[] = [];
  const rowOf = (key: string): { total: LogTotalRecord; isChanged: boolean } => {
    const known = rows.get(key);
    if (known) return known;
    const bytes = totals.get(keyBytes(key));
    // Only `save` writes these rows.
    const row = {
      total: bytes === undefined ? NOTHING : (decodeRecord(bytes) as LogTotalRecord),
      isChanged: false,
    };
    rows.set(key, row);
    return row;
  };
  return {
    cut,
    take(task, data) {
      const row = rowOf(logKeys.total(task));
      const { bytes, isCut } = row.total;
      if (isCut) return null;
      const size = Buffer.byteLength(data);
      row.isChanged = true;
      if (maxBytes === 0 || bytes + size <= maxBytes) {
        row.total = { version: 1, bytes: bytes + size, isCut };
        return data;
      }
      const kept = `${withLineEnd(headOf(data, maxBytes - bytes))}${cutLine(maxBytes)}`;
      row.total = { version: 1, bytes: bytes + Buffer.byteLength(kept), isCut: true };
      cut.push(taskIdOf(task));
      return kept;
    },
    save() {
      for (const [key, { total, isChanged }] of rows) {
        if (isChanged) totals.putSync(keyBytes(key), encodeRecord(total));
      }
    },
  };
}

/** The line in place of all that is over the limit. */
const cutLine = (maxBytes: number): string =>
  `[callsheet] the log of this task is cut here: it is over ${maxBytes} bytes (logs.max_bytes_per_task)\n`;

const withLineEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** As much of the text as fits into so many bytes of UTF-8, never a part of a character. */
function headOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = Math.max(0, bytes);
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
