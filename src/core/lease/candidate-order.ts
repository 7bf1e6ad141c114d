import type { JobId } from '../ids.ts';

/** Fields that determine the position of a step in the order of candidates. */
export interface Candidate {
  readonly priority: number;
  readonly jobCreatedAt: number;
  readonly jobId: JobId;
  readonly stepOrder: number;
}

/**
 * Compares by job priority descending, job created_at ascending, step order ascending
 * (docs/contract/lease.md#order-of-candidates). Job ids increase with time, so jobs of the same millisecond are in the
 * order of submission.
 */
export function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.jobCreatedAt !== b.jobCreatedAt) return a.jobCreatedAt - b.jobCreatedAt;
  if (a.jobId !== b.jobId) return a.jobId < b.jobId ? -1 : 1;
  return a.stepOrder - b.stepOrder;
}

/** Identifies a step by its job and order. */
export interface StepName {
  readonly jobId: JobId;
  readonly stepOrder: number;
}

export type StepKey = `${JobId}/${number}`;

/** Returns the key of a step for a map. */
export const stepKey = ({ jobId, stepOrder }: StepName): StepKey => `${jobId}/${stepOrder}`;
