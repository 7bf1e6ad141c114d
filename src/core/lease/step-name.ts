import type { JobId } from '../ids.ts';

/** A step, named. */
export interface StepName {
  readonly jobId: JobId;
  readonly stepOrder: number;
}

export type StepKey = `${JobId}/${number}`;

/** A step's name as the key of a map. */
export const stepKey = ({ jobId, stepOrder }: StepName): StepKey => `${jobId}/${stepOrder}`;
