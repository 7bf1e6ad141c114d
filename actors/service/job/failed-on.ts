import type { TaskAddress, WorkerId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';

/** The workers that have failed a task since it was last retried by hand, by `failedOnKey`. */
export type FailedOn = Map<string, readonly WorkerId[]>;

export const failedOnKey = (stepOrder: number, index: number): string => `${stepOrder}/${index}`;

export const failedOnOf = (failedOn: FailedOn, stepOrder: number, index: number): readonly WorkerId[] =>
  failedOn.get(failedOnKey(stepOrder, index)) ?? [];

/** The same from the attempts that the store holds: the latest genuine failures, as many as the task counts. */
export function readFailedOn(
  reader: StoreReader,
  address: TaskAddress,
  task: TaskState,
): readonly WorkerId[] {
  const workers = new Set<WorkerId>();
  let left = task.failedAttempts;
  if (left === 0) return [];
  // Numbers leap at a restore, so that they are not counted down.
  for (const { value: attempt } of reader.scan('attempt', {
    prefix: keys.attemptsOf(address),
    reverse: true,
  })) {
    if (attempt.status !== 'failed' || attempt.reclaimed === true) continue;
    workers.add(attempt.workerId);
    if (--left === 0) break;
  }
  return [...workers];
}
