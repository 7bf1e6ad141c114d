import { Packr } from 'msgpackr/pack';
import type { StepBody } from '../../core/ports/large-jobs.ts';
import type { TableName, Tables } from '../../core/records/tables.ts';

/**
 * Encoding of rows: MessagePack without shared structures, so that each value can be read separately. A task page is
 * stored unchanged. Only the plain JavaScript part of msgpackr is used, because threads that may be terminated at any
 * point encode rows too (D5 and D6 of docs/dependency-hazards.md).
 */
const packr = new Packr({ useRecords: false, variableMapSize: true });

/** The table whose values are already bytes. */
export const RAW_TABLE = 'taskPage' satisfies TableName;

/**
 * Returns the bytes of a row, which the next call may overwrite: copy them immediately. Throws if the value does not
 * fit its table.
 */
export function encodeValue<T extends TableName>(table: T, value: Tables[T]): Uint8Array {
  if (table !== RAW_TABLE) return packr.pack(value);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a row of ${table} must be bytes`);
}

/** Encodes a value for `decodeRecord`. The next call may overwrite the bytes. */
export const encodeStepBody = (body: StepBody): Uint8Array => packr.pack(body);
