import { countWorkerFailure } from '../../../src/core/lifecycle/failure-tallies.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerMessage } from './messages.ts';
import { recordFailure } from './quarantine.ts';
import type { WorkerState } from './state.ts';

/** Counts a reported failure, which makes a bad node visible. */
export function onAttemptFailed(
  state: WorkerState,
  message: Extract<WorkerMessage, { type: 'attempt.failed' }>,
  context: ServiceContext<'worker'>,
): void {
  const { jobId, stepOrder } = message;
  state.failures = countWorkerFailure(state.failures, jobId, stepOrder, context.now);
  context.change(put('workerFailures', keys.workerFailures(state.record.id), state.failures));
  recordFailure(state, message, context);
}
