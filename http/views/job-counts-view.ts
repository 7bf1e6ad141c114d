import type { JobCounts } from '../../src/core/lists/job-directory.ts';
import type { Schemas } from './schemas.ts';

/** Jobs by status, with their number. */
export const jobCountsView = (counts: JobCounts): Schemas['JobSummary'] => ({
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
  ...counts,
});
