import type { RecordTools } from '../ports/record-tools.ts';
import { equalBytes, viewOf } from './bytes.ts';
import { DIGEST_BYTES, type LogRecord, type RecordContent, type RecordKind } from './log-record.ts';
import { RECORD_FORMAT } from './record-formats.ts';

/**
 * Layout, little-endian: magic u32, format u16, kind u8, compressed u8, log id 16 bytes, epoch f64, position f64,
 * previous position f64, previous digest 32 bytes, part u32, body length u32, body, digest 32 bytes. The digest is that
 * of all bytes before it. The magic, the place of the format, and the digest are the same in every format.
 */
const MAGIC = 0x474c5343;
const FORMAT_AT = 4;
const KIND_AT = 6;
const COMPRESSED_AT = 7;
const LOG_ID_AT = 8;
const LOG_ID_BYTES = 16;
const EPOCH_AT = 24;
const POSITION_AT = 32;
const PREVIOUS_POSITION_AT = 40;
const PREVIOUS_DIGEST_AT = 48;
const PART_AT = 80;
const BODY_LENGTH_AT = 84;
const HEADER_BYTES = 88;

/** Bytes of a record in addition to its body. */
export const RECORD_OVERHEAD_BYTES = HEADER_BYTES + DIGEST_BYTES;

/** Codes of the kinds. A code is never used again. */
const KINDS = {
  changes: 1,
  part: 2,
  epoch: 3,
  heartbeat: 4,
  'hand-over': 5,
} as const satisfies Record<RecordKind, number>;
const KIND_BY_CODE: ReadonlyMap<number, RecordKind> = new Map([
  [KINDS.changes, 'changes'],
  [KINDS.part, 'part'],
  [KINDS.epoch, 'epoch'],
  [KINDS.heartbeat, 'heartbeat'],
  [KINDS['hand-over'], 'hand-over'],
]);

/** Reason why bytes are not a record that this version can read. */
export type RecordFault = 'damaged' | 'newer-format';

export type ReadRecord = { readonly record: LogRecord } | { readonly fault: RecordFault };

/** An encoded record with its digest. */
export interface EncodedRecord {
  readonly bytes: Uint8Array;
  readonly digest: Uint8Array;
}

export function encodeRecord(content: RecordContent, tools: RecordTools): EncodedRecord {
  const end = HEADER_BYTES + content.body.length;
  const bytes = new Uint8Array(end + DIGEST_BYTES);
  const view = viewOf(bytes);
  view.setUint32(0, MAGIC, true);
  view.setUint16(FORMAT_AT, content.format, true);
  view.setUint8(KIND_AT, KINDS[content.kind]);
  view.setUint8(COMPRESSED_AT, content.isCompressed ? 1 : 0);
  bytes.set(content.logId, LOG_ID_AT);
  view.setFloat64(EPOCH_AT, content.epoch, true);
  view.setFloat64(POSITION_AT, content.position, true);
  view.setFloat64(PREVIOUS_POSITION_AT, content.previous.position, true);
  bytes.set(content.previous.digest, PREVIOUS_DIGEST_AT);
  view.setUint32(PART_AT, content.part, true);
  view.setUint32(BODY_LENGTH_AT, content.bodyLength, true);
  bytes.set(content.body, HEADER_BYTES);
  const digest = tools.digest(bytes.subarray(0, end));
  bytes.set(digest, end);
  return { bytes, digest };
}

/** Reads a record. The result has views of the bytes. */
export function readRecord(bytes: Uint8Array, tools: RecordTools): ReadRecord {
  const end = bytes.length - DIGEST_BYTES;
  if (end <= FORMAT_AT + 2) return { fault: 'damaged' };
  const digest = bytes.subarray(end);
  if (!equalBytes(tools.digest(bytes.subarray(0, end)), digest)) return { fault: 'damaged' };
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== MAGIC) return { fault: 'damaged' };
  const format = view.getUint16(FORMAT_AT, true);
  if (format > RECORD_FORMAT) return { fault: 'newer-format' };
  const kind = KIND_BY_CODE.get(view.getUint8(KIND_AT));
  if (kind === undefined || end < HEADER_BYTES) return { fault: 'damaged' };
  return {
    record: {
      format,
      kind,
      digest,
      logId: bytes.subarray(LOG_ID_AT, LOG_ID_AT + LOG_ID_BYTES),
      epoch: view.getFloat64(EPOCH_AT, true),
      position: view.getFloat64(POSITION_AT, true),
      previous: {
        position: view.getFloat64(PREVIOUS_POSITION_AT, true),
        digest: bytes.subarray(PREVIOUS_DIGEST_AT, PREVIOUS_DIGEST_AT + DIGEST_BYTES),
      },
      part: view.getUint32(PART_AT, true),
      isCompressed: view.getUint8(COMPRESSED_AT) === 1,
      bodyLength: view.getUint32(BODY_LENGTH_AT, true),
      body: bytes.subarray(HEADER_BYTES, end),
    },
  };
}
