import { mayDeleteWorker } from '../../../src/core/lifecycle/worker-transitions.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import { hadRecentContact, mayRunTasks, remainingGraceMs, remainingPatienceMs } from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import type { PromiseSettings } from './promise.ts';
import { removeWorker } from './remove.ts';
import type { WorkerState } from './state.ts';

const DELETED_MESSAGE = 'the worker was deleted';

/**
 * Deletes a worker that is not active (docs/contract/workers.md#deletion). If it returns, it gets the reply `unknown`
 * and registers as a new worker. The deletion states that its machine no longer exists: its tasks are reclaimed at once
 * (docs/decisions/outages.md).
 */
export const onWorkerDelete =
  (settings: PromiseSettings) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.delete' }>,
    context: ServiceContext<'worker'>,
  ): void => {
    const { heartbeatTimeoutMs: timeoutMs } = settings;
    const { status } = state.record;
    const trigger = isSilent(state, timeoutMs, context) ? 'delete while silent' : 'delete while alive';
    if (!mayDeleteWorker(status, trigger)) {
      const detail =
        status === 'online'
          ? 'the worker is online; stop it before you delete it'
          : `the worker is disabled and still sends heartbeats; it can be deleted after ${timeoutMs / 1000} s of silence`;
      context.reply(message.replyTo, refused('conflict', detail));
      return;
    }
    if (mayRunTasks(state) && remainingPatienceMs(state, settings, context) > 0)
      context.log('warn', 'deleted a worker that may still run tasks; they are assigned again at once', {
        worker_id: state.record.id,
        worker: state.record.name,
        tasks: String(state.bookings.size + state.exiting.size),
      });
    removeWorker(state, DELETED_MESSAGE, context);
    context.reply(message.replyTo, done(null));
  };

/** Right after a start of the service, an old heartbeat does not prove that the worker's tasks have stopped. */
function isSilent(state: WorkerState, timeoutMs: number, context: ServiceContext<'worker'>): boolean {
  if (hadRecentContact(state, timeoutMs, context)) return false;
  return !mayRunTasks(state) || remainingGraceMs(state, timeoutMs, context) === 0;
}
