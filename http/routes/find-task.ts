import { jobId, parseTaskId, stepIdOf, type JobId, type TaskAddress } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';

export interface FoundTask {
  readonly address: TaskAddress;
  readonly job: JobRecord;
  readonly step: StepRecord;
}

/** Returns the task with an id, or null. */
export function findTask(store: StoreReader, id: string): FoundTask | null {
  const address = parseTaskId(id);
  return address === null ? null : findTaskAt(store, address);
}

/** Returns the task at an address, or null. */
export function findTaskAt(
  store: StoreReader,
  { jobId: id, stepOrder, index }: TaskAddress,
): FoundTask | null {
  const job = store.get('job', keys.job(id));
  const step = store.get('step', keys.step(id, stepOrder));
  if (job === undefined || step === undefined || index >= step.taskCount) return null;
  return { address: { jobId: id, stepOrder, index }, job, step };
}

/** Returns the steps of a job in order. */
export const stepsOf = (store: StoreReader, id: JobId): readonly StepRecord[] =>
  [...store.scan('step', { prefix: keys.stepsOf(id) })].map((row) => row.value);

/** Returns the step of a job by id or name, or null. */
export const findStep = (steps: readonly StepRecord[], idOrName: string): StepRecord | null =>
  steps.find((step) => stepIdOf(step.jobId, step.order) === idOrName) ??
  steps.find((step) => step.name === idOrName) ??
  null;

/** Returns the job with an id, or null. */
export const findJob = (store: StoreReader, id: string): JobRecord | null =>
  store.get('job', keys.job(jobId(id))) ?? null;
