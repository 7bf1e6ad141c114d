import type { JobId } from '../ids.ts';

/** What the place of a step in the order of candidates depends on. */
export interface Candidate {
  readonly priority: number;
  readonly jobCreatedAt: number;
  readonly jobId: JobId;
  readonly stepOrder: number;
}

/**
 * Job priority descending, job created_at ascending, step order ascending (docs/contract/lease.md#order-of-candidates).
 * Job ids rise with time, so they part jobs of the same millisecond in the order of submission.
 */
export function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.jobCreatedAt !== b.jobCreatedAt) return a.jobCreatedAt - b.jobCreatedAt;
  if (a.jobId !== b.jobId) return a.jobId < b.jobId ? -1 : 1;
  return a.stepOrder - b.stepOrder;
}

/** A step, named. */
export interface StepName {
  readonly jobId: JobId;
  readonly stepOrder: number;
}

export type StepKey = `${JobId}/${number}`;

/** A step's name as the key of a map. */
export const stepKey = ({ jobId, stepOrder }: StepName): StepKey => `${jobId}/${stepOrder}`;
