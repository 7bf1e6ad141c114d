import type { JobId } from '../ids.ts';

/** Identifies a step by its job and order. */
export interface StepName {
  readonly jobId: JobId;
  readonly stepOrder: number;
}

export type StepKey = `${JobId}/${number}`;

/** Returns the key of a step for a map. */
export const stepKey = ({ jobId, stepOrder }: StepName): StepKey => `${jobId}/${stepOrder}`;
