import { jobId, type JobId } from '../../core/ids.ts';
import type { ByteDatabase } from './environment.ts';
import { scanRows } from './table-scan.ts';

/** Between the id of a job and the rest of a key. The next character ends the keys of the job. */
const SEPARATOR = '/';
const AFTER_SEPARATOR = String.fromCharCode(SEPARATOR.charCodeAt(0) + 1);

/** Returns the first jobs after another one whose ids begin keys of these tables, in their order. One look-up per job and table. */
export function jobsWithRows(
  tables: readonly ByteDatabase[],
  after: JobId | null,
  limit: number,
): readonly JobId[] {
  const jobs: JobId[] = [];
  let last = after;
  while (jobs.length < limit) {
    const [next] = tables.flatMap((table) => nextJob(table, last) ?? []).sort((a, b) => (a < b ? -1 : 1));
    if (next === undefined) break;
    jobs.push(next);
    last = next;
  }
  return jobs;
}

function nextJob(table: ByteDatabase, after: JobId | null): JobId | null {
  const start = after === null ? {} : { after: `${after}${AFTER_SEPARATOR}` };
  const [row] = [...scanRows(table, { ...start, limit: 1 })];
  return row === undefined ? null : jobId(row.key.slice(0, row.key.indexOf(SEPARATOR)));
}
