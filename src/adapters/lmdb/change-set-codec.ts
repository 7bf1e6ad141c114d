import { put, remove, removePrefix, type Change, type ChangeSet } from '../../core/records/change-set.ts';
import { TABLE_NAMES, type TableName } from '../../core/records/tables.ts';
import { MAX_KEY_BYTES } from './key-bytes.ts';
import { recordText } from './record-text.ts';
import { decodeValue } from './value-codec.ts';
import { encodeValue } from './value-encoder.ts';

/**
 * A change set as one buffer that can be transferred to another thread, or stored. Little-endian: version u8, reserved
 * u8, shard u16, number of changes u32, sequence f64; then for each change: operation u8, table u8 (index in
 * TABLE_NAMES), length of key or prefix u16, length of value u32, key or prefix in UTF-8, value (only of a put).
 */
const VERSION = 1;
const HEADER_BYTES = 16;
const CHANGE_HEADER_BYTES = 8;
const MAX_SHARD = 0xffff;
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
const FIRST_SCRATCH_BYTES = 64 * 1024;
/** A larger scratch buffer is released after use. */
const MAX_KEPT_SCRATCH_BYTES = 4 * 1024 * 1024;

const OPERATIONS = ['put', 'remove', 'removePrefix'] as const satisfies readonly Change['op'][];
type Operation = (typeof OPERATIONS)[number];

/** A change whose key and value are views of the set's buffer, ready to be put. */
export interface EncodedChange {
  readonly op: Operation;
  readonly table: TableName;
  /** Key, or the prefix of a `removePrefix`. */
  readonly key: Uint8Array;
  /** Empty unless the change is a put. */
  readonly value: Uint8Array;
}

export interface EncodedChangeSet {
  readonly shard: number;
  readonly sequence: number;
  readonly changes: readonly EncodedChange[];
  /** The whole set. */
  readonly encoded: ArrayBuffer;
  /** The causes of its units of work (core/cluster/sections.ts), which are not part of the set. Absent on a single node. */
  readonly causes?: Uint8Array;
}

class ChangeSetFormatError extends Error {
  override readonly name = 'ChangeSetFormatError';
}

let scratch = Buffer.alloc(FIRST_SCRATCH_BYTES);

/**
 * Encodes the set into a new buffer. Throws `ChangeSetFormatError` if a key cannot be stored or the shard has no
 * number.
 */
export function encodeChangeSet(set: ChangeSet): ArrayBuffer {
  if (!Number.isInteger(set.shard) || set.shard < 0 || set.shard > MAX_SHARD) {
    throw new ChangeSetFormatError(`shard ${set.shard} is not a number from 0 to ${MAX_SHARD}`);
  }
  writeHeader(scratch, set.shard, set.sequence, set.changes.length);
  let at = HEADER_BYTES;
  for (const change of set.changes) at = writeChange(change, at);
  const encoded = new ArrayBuffer(at);
  new Uint8Array(encoded).set(scratch.subarray(0, at));
  if (scratch.length > MAX_KEPT_SCRATCH_BYTES) scratch = Buffer.alloc(FIRST_SCRATCH_BYTES);
  return encoded;
}

function writeChange(change: Change, at: number): number {
  const key = change.op === 'removePrefix' ? change.prefix : change.key;
  const keyAt = at + CHANGE_HEADER_BYTES;
  growScratch(keyAt + key.length * UTF8_BYTES_MAX);
  const keyLength = scratch.write(key, keyAt, 'utf8');
  if (keyLength === 0 || keyLength > MAX_KEY_BYTES) {
    throw new ChangeSetFormatError(
      `${change.op} in ${change.table}: a key of ${keyLength} bytes (1 to ${MAX_KEY_BYTES} are allowed)`,
    );
  }
  const valueAt = keyAt + keyLength;
  const end = change.op === 'put' ? writeValue(change, valueAt) : valueAt;
  writeChangeHeader(scratch, at, {
    op: change.op,
    table: change.table,
    keyLength,
    valueLength: end - valueAt,
  });
  return end;
}

function writeValue(change: Extract<Change, { op: 'put' }>, at: number): number {
  const text = recordText(change);
  if (text !== null) {
    growScratch(at + text.length);
    return at + scratch.write(text, at, 'latin1');
  }
  const value = encodeValue(change.table, change.value);
  growScratch(at + value.length);
  scratch.set(value, at);
  return at + value.length;
}

function growScratch(bytes: number): void {
  if (bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes, scratch.length * 2));
  scratch.copy(larger);
  scratch = larger;
}

/**
 * Returns a set of changes that are encoded already. Its buffer is made when it is first read, because large values are
 * not copied unless a journal needs them. The keys and the shard must be valid.
 */
export function joinChanges(
  shard: number,
  sequence: number,
  changes: readonly EncodedChange[],
): EncodedChangeSet {
  let joined: ArrayBuffer | null = null;
  return {
    shard,
    sequence,
    changes,
    get encoded() {
      return (joined ??= encodeJoined(shard, sequence, changes));
    },
  };
}

function encodeJoined(shard: number, sequence: number, changes: readonly EncodedChange[]): ArrayBuffer {
  const length = changes.reduce(
    (sum, { key, value }) => sum + CHANGE_HEADER_BYTES + key.length + value.length,
    HEADER_BYTES,
  );
  const encoded = new ArrayBuffer(length);
  const target = Buffer.from(encoded);
  writeHeader(target, shard, sequence, changes.length);
  let at = HEADER_BYTES;
  for (const { op, table, key, value } of changes) {
    writeChangeHeader(target, at, { op, table, keyLength: key.length, valueLength: value.length });
    target.set(key, at + CHANGE_HEADER_BYTES);
    target.set(value, at + CHANGE_HEADER_BYTES + key.length);
    at += CHANGE_HEADER_BYTES + key.length + value.length;
  }
  return encoded;
}

function writeHeader(target: Buffer, shard: number, sequence: number, changes: number): void {
  target.writeUInt8(VERSION, 0);
  target.writeUInt8(0, 1);
  target.writeUInt16LE(shard, 2);
  target.writeUInt32LE(changes, 4);
  target.writeDoubleLE(sequence, 8);
}

function writeChangeHeader(
  target: Buffer,
  at: number,
  change: Pick<EncodedChange, 'op' | 'table'> & { readonly keyLength: number; readonly valueLength: number },
): void {
  target[at] = OPERATIONS.indexOf(change.op);
  target[at + 1] = TABLE_NAMES.indexOf(change.table);
  target.writeUInt16LE(change.keyLength, at + 2);
  target.writeUInt32LE(change.valueLength, at + 4);
}

/** Returns the shard and the sequence of an encoded set, without reading its changes. */
export function changeSetHeader(encoded: ArrayBuffer): Pick<EncodedChangeSet, 'shard' | 'sequence'> {
  const view = new DataView(encoded, 0, HEADER_BYTES);
  return { shard: view.getUint16(2, true), sequence: view.getFloat64(8, true) };
}

/** Returns the highest number of a table in an encoded set, without reading its rows; 0 if it has no changes. */
export function newestTableOf({ buffer, byteOffset, byteLength }: Uint8Array): number {
  const view = new DataView(buffer, byteOffset, byteLength);
  let newest = 0;
  let at = HEADER_BYTES;
  while (at + CHANGE_HEADER_BYTES <= byteLength) {
    newest = Math.max(newest, view.getUint8(at + 1));
    at += CHANGE_HEADER_BYTES + view.getUint16(at + 2, true) + view.getUint32(at + 4, true);
  }
  return newest;
}

/**
 * Returns the changes of an encoded set as views of the buffer, without decoding values. Throws `ChangeSetFormatError`
 * if the buffer is invalid.
 */
export function readChangeSet(encoded: ArrayBuffer): EncodedChangeSet {
  const length = encoded.byteLength;
  if (length < HEADER_BYTES) throw new ChangeSetFormatError(`${length} bytes are not a change set`);
  const view = new DataView(encoded);
  const version = view.getUint8(0);
  if (version !== VERSION)
    throw new ChangeSetFormatError(`a change set of version ${version}, not ${VERSION}`);
  const count = view.getUint32(4, true);
  const changes: EncodedChange[] = [];
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    if (at + CHANGE_HEADER_BYTES > length) throw truncated(i, count);
    const op = OPERATIONS[view.getUint8(at)];
    const table = TABLE_NAMES[view.getUint8(at + 1)];
    const keyAt = at + CHANGE_HEADER_BYTES;
    const keyLength = view.getUint16(at + 2, true);
    const valueLength = view.getUint32(at + 4, true);
    const valueAt = keyAt + keyLength;
    const end = valueAt + valueLength;
    if (end > length) throw truncated(i, count);
    if (op === undefined || table === undefined) {
      throw new ChangeSetFormatError(`change ${i + 1} of ${count} names an unknown operation or table`);
    }
    const key = new Uint8Array(encoded, keyAt, keyLength);
    changes.push({ op, table, key, value: new Uint8Array(encoded, valueAt, valueLength) });
    at = end;
  }
  if (at !== length) throw new ChangeSetFormatError(`${length - at} bytes follow the last change`);
  return { shard: view.getUint16(2, true), sequence: view.getFloat64(8, true), changes, encoded };
}

const truncated = (index: number, count: number): ChangeSetFormatError =>
  new ChangeSetFormatError(`cut off in change ${index + 1} of ${count}`);

/** Decodes a set. Throws `ChangeSetFormatError` like `readChangeSet`. */
export function decodeChangeSet(encoded: ArrayBuffer): ChangeSet {
  const { shard, sequence, changes } = readChangeSet(encoded);
  return { version: 1, shard, sequence, changes: changes.map(decodeChange) };
}

function decodeChange({ op, table, key, value }: EncodedChange): Change {
  const text = Buffer.from(key.buffer, key.byteOffset, key.length).toString('utf8');
  switch (op) {
    case 'put':
      return put(table, text, decodeValue(table, value));
    case 'remove':
      return remove(table, text);
    case 'removePrefix':
      return removePrefix(table, text);
  }
}
