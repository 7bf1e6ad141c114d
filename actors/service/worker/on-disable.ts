import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import { done } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerMessage, WorkerStanding } from './messages.ts';
import type { WorkerState } from './state.ts';
import { changeWorker } from './worker-turn.ts';

/**
 * Disables a worker (docs/contract/workers.md#disable-and-enable). It finishes its current tasks. Its lease requests
 * get no tasks until it is enabled.
 */
export function onWorkerDisable(
  state: WorkerState,
  message: Extract<WorkerMessage, { type: 'worker.disable' }>,
  context: ServiceContext<'worker'>,
): void {
  const status = nextWorkerStatus(state.record.status, 'disable');
  if (status !== state.record.status) changeWorker(state, { status }, context);
  const standing: WorkerStanding = { status };
  context.reply(message.replyTo, done(standing));
}
