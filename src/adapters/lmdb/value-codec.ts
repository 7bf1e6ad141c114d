import { Packr } from 'msgpackr';
import type { TableName, Tables } from '../../core/records/tables.ts';
import { RAW_TABLE } from './value-encoder.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true, copyBuffers: true });

/** Decodes a row of `encodeValue`. The bytes are copied. */
export function decodeValue<T extends TableName>(table: T, bytes: Uint8Array): Tables[T] {
  // The store contains only values that encodeValue wrote for the same table.
  if (table === RAW_TABLE) return new Uint8Array(bytes) as Tables[T];
  return packr.unpack(bytes) as Tables[T];
}

/** Encodes a value that is not a row of the state store. */
export const encodeRecord = (value: unknown): Uint8Array => packr.pack(value);
export const decodeRecord = (bytes: Uint8Array): unknown => packr.unpack(bytes);
