import type { JobId, WorkerId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { StepFailuresRecord } from '../../../src/core/records/step-failures.ts';
import { keys } from '../../../src/core/records/tables.ts';

/** Genuine failures of a job by the order of the step and by worker. */
export type FailuresOfSteps = Map<number, Map<WorkerId, StepFailuresRecord>>;

/** Loads the failures of one step. */
export function loadStepFailures(
  job: JobId,
  stepOrder: number,
  reader: StoreReader,
): Map<WorkerId, StepFailuresRecord> {
  const rows = reader.scan('stepFailures', { prefix: keys.stepFailuresOf(job, stepOrder) });
  return new Map([...rows].map(({ value }) => [value.workerId, value]));
}
