import { Packr } from 'msgpackr/pack';
import type { StepBody } from '../../core/ports/large-jobs.ts';
import type { TableName, Tables } from '../../core/records/tables.ts';

/**
 * How rows are stored: MessagePack without shared structures, so that each value can be read by itself. A task page is stored as it is. Of
 * msgpackr only what is plain JavaScript: threads that may be ended at any point encode rows as well (D5 and D6 of
 * docs/dependency-hazards.md).
 */
const packr = new Packr({ useRecords: false, variableMapSize: true });

/** The one table whose values are bytes already. */
export const RAW_TABLE = 'taskPage' satisfies TableName;

/** The bytes of a row. They may be reused by the next call: copy them at once. Throws when the value does not fit its table. */
export function encodeValue<T extends TableName>(table: T, value: Tables[T]): Uint8Array {
  if (table !== RAW_TABLE) return packr.pack(value);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a row of ${table} must be bytes`);
}

/** A value that `decodeRecord` reads. The bytes may be reused by the next call. */
export const encodeStepBody = (body: StepBody): Uint8Array => packr.pack(body);
