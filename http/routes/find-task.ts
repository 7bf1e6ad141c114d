import { parseTaskId, type TaskAddress } from '../../src/core/ids.ts';
import { jobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';

export interface FoundTask {
  readonly address: TaskAddress;
  readonly job: JobRecord;
  readonly step: StepRecord;
}

/** The task that an id names, or null when there is none. */
export function findTask(store: StoreReader, id: string): FoundTask | null {
  const address = parseTaskId(id);
  if (address === null) return null;
  const job = store.get('job', keys.job(address.jobId));
  const step = store.get('step', keys.step(address.jobId, address.stepOrder));
  if (job === undefined || step === undefined || address.index >= step.taskCount) return null;
  return { address, job, step };
}

/** The job that an id names, or null when there is none. */
export const findJob = (store: StoreReader, id: string): JobRecord | null =>
  store.get('job', keys.job(jobId(id))) ?? null;
