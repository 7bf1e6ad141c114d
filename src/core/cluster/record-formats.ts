/**
 * Formats of records of the replicated log (docs/decisions/replicated-log.md#formats): the number of tables that their change
 * sets may name, from format 1 on. TABLE_NAMES grows at its end, and each release with new tables has a format of its own.
 */
const TABLES_OF_FORMATS = [44, 46] as const;

/** The newest format that this version reads and writes. */
export const RECORD_FORMAT = TABLES_OF_FORMATS.length;
/** Format of records without change sets: every version reads it. */
export const FIRST_FORMAT = 1;

/**
 * Returns the lowest format whose change sets may name a table, by its number in TABLE_NAMES.
 *
 * @throws RangeError if no format has the table.
 */
export function formatOfTable(table: number): number {
  const earlier = TABLES_OF_FORMATS.findIndex((tables) => table < tables);
  if (earlier < 0) throw new RangeError(`table ${table} has no format: add one to TABLES_OF_FORMATS`);
  return FIRST_FORMAT + earlier;
}
