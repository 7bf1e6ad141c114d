import { crc32 } from 'node:zlib';

/**
 * Format of the journal (docs/decisions/journal.md), little-endian. The file begins with a header: eight letters that
 * identify the format, and the id of the store as text. Records follow without gaps: length of the payload u32, CRC-32
 * of the rest of the record u32, pass f64, index in the pass u32, and the payload. Bytes after the last record of an
 * pass remain from earlier passes.
 */
const MAGIC = 'csjrnl01';
const STORE_ID_LENGTH = 36;
export const JOURNAL_HEADER_BYTES = MAGIC.length + STORE_ID_LENGTH;
export const RECORD_HEADER_BYTES = 20;
const CRC_AT = 4;
/** Start of the bytes covered by the checksum. */
const CHECKED_FROM = 8;

export const journalHeader = (storeId: string): Buffer => Buffer.from(`${MAGIC}${storeId}`, 'latin1');

/** Returns the store id of a journal; null if the header is damaged. */
export function storeOfJournal(file: Uint8Array): string | null {
  const text = Buffer.from(file.subarray(0, JOURNAL_HEADER_BYTES)).toString('latin1');
  return text.startsWith(MAGIC) && text.length === JOURNAL_HEADER_BYTES ? text.slice(MAGIC.length) : null;
}

/** Writes a record into `target` at an offset with sufficient space, and returns the offset after it. */
export function writeRecord(
  target: Buffer,
  at: number,
  { pass, place, bytes }: { readonly pass: number; readonly place: number; readonly bytes: Uint8Array },
): number {
  const end = at + RECORD_HEADER_BYTES + bytes.length;
  target.writeUInt32LE(bytes.length, at);
  target.writeDoubleLE(pass, at + CHECKED_FROM);
  target.writeUInt32LE(place, at + CHECKED_FROM + 8);
  target.set(bytes, at + RECORD_HEADER_BYTES);
  target.writeUInt32LE(checksum(target, at, end), at + CRC_AT);
  return end;
}

/**
 * Returns copies of the payloads of this pass, in order, up to the first record that is incomplete, of another pass
 * or not next in sequence.
 */
export function readRecords(file: Buffer, pass: number): readonly ArrayBuffer[] {
  const records: ArrayBuffer[] = [];
  let at = JOURNAL_HEADER_BYTES;
  while (at + RECORD_HEADER_BYTES <= file.length) {
    const end = at + RECORD_HEADER_BYTES + file.readUInt32LE(at);
    const isHere =
      end <= file.length &&
      file.readDoubleLE(at + CHECKED_FROM) === pass &&
      file.readUInt32LE(at + CHECKED_FROM + 8) === records.length &&
      file.readUInt32LE(at + CRC_AT) === checksum(file, at, end);
    if (!isHere) break;
    records.push(new Uint8Array(file.subarray(at + RECORD_HEADER_BYTES, end)).buffer);
    at = end;
  }
  return records;
}

/** Checksum of a record from `at` to `end`: of its length and everything after the checksum. */
const checksum = (file: Buffer, at: number, end: number): number =>
  crc32(file.subarray(at + CHECKED_FROM, end), crc32(file.subarray(at, at + CRC_AT)));
