import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import { done } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerMessage, WorkerStanding } from './messages.ts';
import type { WorkerState } from './state.ts';
import { changeWorker } from './worker-turn.ts';

/**
 * A worker is to get no more work (docs/contract/workers.md#disable-and-enable). What it has it brings to its end; it
 * keeps asking and is not answered with work before it is enabled.
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
