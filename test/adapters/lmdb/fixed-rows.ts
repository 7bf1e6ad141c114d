import type { FarmId, JobId } from '../../../src/core/ids.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';

/**
 * Rows with fixed values. They are apart from the generators of arbitrary-changes.ts, which take 0.7 s to load: several tests start
 * a program of ./programs many times.
 */

export const JOB = '0191c0de-0000-7000-8000-000000000001' as JobId;
export const OTHER_JOB = '0191c0de-0000-7000-8000-000000000002' as JobId;

/** Returns the row of a farm with this name and fixed other fields. */
export const farmNamed = (name: string): FarmRecord => ({
  version: 1,
  id: 'f' as FarmId,
  name,
  description: '',
  maxConcurrentTasks: 0,
  retry: {},
  createdAt: 1,
  updatedAt: 1,
});
