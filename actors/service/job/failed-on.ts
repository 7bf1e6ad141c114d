import type { TaskAddress, WorkerId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { usesAttempt } from '../../../src/core/retry-rules/applied-rule.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';

/**
 * Workers on which a task has failed since its last manual retry, by `failedOnKey`. They are sorted: the order of their
 * failures is not known after the job was loaded, and may not decide which of them is notified first.
 */
export type FailedOn = Map<string, readonly WorkerId[]>;

export const failedOnKey = (stepOrder: number, index: number): string => `${stepOrder}/${index}`;

export const failedOnOf = (failedOn: FailedOn, stepOrder: number, index: number): readonly WorkerId[] =>
  failedOn.get(failedOnKey(stepOrder, index)) ?? [];

/** Records the worker of a failure. The next attempt prefers other workers. */
export function recordFailedOn(
  { failedOn }: { readonly failedOn: FailedOn },
  step: { readonly record: { readonly order: number } },
  index: number,
  workerId: WorkerId,
): void {
  const before = failedOnOf(failedOn, step.record.order, index);
  if (!before.includes(workerId))
    failedOn.set(failedOnKey(step.record.order, index), [...before, workerId].sort());
}

/** Forgets the worker of a failure that does not count any more. */
export function forgetFailedOn(
  { failedOn }: { readonly failedOn: FailedOn },
  step: { readonly record: { readonly order: number } },
  index: number,
  workerId: WorkerId,
): void {
  const key = failedOnKey(step.record.order, index);
  const workers = failedOnOf(failedOn, step.record.order, index).filter((each) => each !== workerId);
  if (workers.length === 0) failedOn.delete(key);
  else failedOn.set(key, workers);
}

/**
 * Reads the workers of a task's last genuine failures from its stored attempts, as many as `failedAttempts`. `excused`:
 * numbers of attempts whose failures do not count any more.
 */
export function readFailedOn(
  reader: StoreReader,
  address: TaskAddress,
  task: TaskState,
  excused: readonly number[],
): readonly WorkerId[] {
  const workers = new Set<WorkerId>();
  let remaining = task.failedAttempts;
  if (remaining === 0) return [];
  // Numbers have gaps after a restore, so this scans instead of counting down.
  for (const { value: attempt } of reader.scan('attempt', {
    prefix: keys.attemptsOf(address),
    reverse: true,
  })) {
    if (attempt.status !== 'failed' || attempt.reclaimed === true || !usesAttempt(attempt.rule)) continue;
    if (attempt.outage !== undefined || excused.includes(attempt.attemptNumber)) continue;
    workers.add(attempt.workerId);
    if (--remaining === 0) break;
  }
  return [...workers].sort();
}
