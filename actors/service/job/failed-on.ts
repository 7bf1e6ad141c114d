import type { TaskAddress, WorkerId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';

/** Workers on which a task has failed since its last manual retry, by `failedOnKey`. */
export type FailedOn = Map<string, readonly WorkerId[]>;

export const failedOnKey = (stepOrder: number, index: number): string => `${stepOrder}/${index}`;

export const failedOnOf = (failedOn: FailedOn, stepOrder: number, index: number): readonly WorkerId[] =>
  failedOn.get(failedOnKey(stepOrder, index)) ?? [];

/** Reads the workers of a task's last genuine failures from its stored attempts, as many as `failedAttempts`. */
export function readFailedOn(
  reader: StoreReader,
  address: TaskAddress,
  task: TaskState,
): readonly WorkerId[] {
  const workers = new Set<WorkerId>();
  let remaining = task.failedAttempts;
  if (remaining === 0) return [];
  // Numbers have gaps after a restore, so this scans instead of counting down.
  for (const { value: attempt } of reader.scan('attempt', {
    prefix: keys.attemptsOf(address),
    reverse: true,
  })) {
    if (attempt.status !== 'failed' || attempt.reclaimed === true) continue;
    workers.add(attempt.workerId);
    if (--remaining === 0) break;
  }
  return [...workers];
}
