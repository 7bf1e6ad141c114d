import type { JobCounts } from '../../src/core/lists/job-directory.ts';
import type { Schemas } from './schemas.ts';

/** Returns the total number of jobs, and the number by status. */
export const jobCountsView = (counts: JobCounts): Schemas['JobSummary'] => ({
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
  ...counts,
});
