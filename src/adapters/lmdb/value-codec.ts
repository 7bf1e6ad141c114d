import { Packr } from 'msgpackr';
import type { TableName, Tables } from '../../core/records/tables.ts';

/**
 * How rows are stored: MessagePack without shared structures, so that each value can be read by itself. A task page is stored as it is.
 */
const packr = new Packr({ useRecords: false, variableMapSize: true, copyBuffers: true });

/** The one table whose values are bytes already. */
const RAW_TABLE = 'taskPage' satisfies TableName;

/** The bytes of a row. They may be reused by the next call: copy them at once. Throws when the value does not fit its table. */
export function encodeValue<T extends TableName>(table: T, value: Tables[T]): Uint8Array {
  if (table !== RAW_TABLE) return packr.pack(value);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a row of ${table} must be bytes`);
}

/** The row that `encodeValue` gave the bytes of. The bytes are copied. */
export function decodeValue<T extends TableName>(table: T, bytes: Uint8Array): Tables[T] {
  // The store holds only what encodeValue wrote under the same table name.
  if (table === RAW_TABLE) return new Uint8Array(bytes) as Tables[T];
  return packr.unpack(bytes) as Tables[T];
}

/** The same for values that are no rows of the state store. */
export const encodeRecord = (value: unknown): Uint8Array => packr.pack(value);
export const decodeRecord = (bytes: Uint8Array): unknown => packr.unpack(bytes);
