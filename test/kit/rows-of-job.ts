import { isUuid } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { TABLE_NAMES, type TableName } from '../../src/core/records/tables.ts';

/** Tables with rows that belong to a job, with the function that reads the job ID from the key. */
const JOB_PARTS: Partial<Record<TableName, number>> = {
  job: 0,
  plan: 0,
  template: 0,
  step: 0,
  taskPage: 0,
  taskText: 0,
  attempt: 0,
  taskOutput: 0,
  stepFailures: 0,
  doomedJob: 0,
  comingJob: 0,
  activeJob: 1,
  endedJob: 3,
  workerAttempt: 2,
};

const jobOfKey = (table: TableName, key: string): string | null => {
  const part = JOB_PARTS[table];
  const job = part === undefined ? undefined : key.split('/')[part];
  return job !== undefined && isUuid(job) ? job : null;
};

/** Returns all rows that belong to a job, and all bookings of its attempts: `<table> <key>`. */
export function rowsOfJob(store: StoreReader, job: string): string[] {
  return TABLE_NAMES.flatMap((table) =>
    [...store.scan(table)].flatMap(({ key, value }) => {
      const isBooked = table === 'booking' && JSON.stringify(value).includes(job);
      return key.includes(job) || isBooked ? [`${table} ${key}`] : [];
    }),
  );
}

/** Returns the rows that belong to jobs that do not exist: `<table> <key>`. */
export function orphanedRows(store: StoreReader): string[] {
  return TABLE_NAMES.flatMap((table) =>
    [...store.scan(table)].flatMap(({ key }) => {
      const job = jobOfKey(table, key);
      return job === null || store.get('job', job) !== undefined ? [] : [`${table} ${key}`];
    }),
  );
}
