import { taskIdOf, type TaskAddress, type TaskId } from '../../core/ids.ts';
import { logKeys, type LogTotalRecord } from '../../core/records/log-chunk.ts';
import type { ByteDatabase } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { decodeRecord, encodeRecord } from './value-codec.ts';

const NOTHING: LogTotalRecord = { version: 1, bytes: 0, isCut: false };

/** Stored amount of each task in one transaction: one row per task, read once and written once. */
export interface LogTotals {
  /** Returns the part of the data to store: all of it, as much as fits with a line that notes the limit, or null. */
  take(task: TaskAddress, data: string): string | null;
  /** Tasks that reached the limit in this transaction. */
  readonly cut: readonly TaskId[];
  save(): void;
}

/** `maxBytes` is the limit for one task over all its attempts; 0 means no limit. */
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

/** Returns the line that replaces everything over the limit. */
const cutLine = (maxBytes: number): string =>
  `[callsheet] the log of this task is cut here: it exceeds ${maxBytes} bytes (logs.max_bytes_per_task)\n`;

const withLineEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** Returns the longest beginning of the text that fits in this many UTF-8 bytes, without a partial character. */
function headOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = Math.max(0, bytes);
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
