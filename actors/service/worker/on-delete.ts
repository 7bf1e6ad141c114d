import { mayDeleteWorker } from '../../../src/core/lifecycle/worker-transitions.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import { remainingGraceMs, hadRecentContact } from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import { removeWorker } from './remove.ts';
import type { WorkerState } from './state.ts';

const DELETED_MESSAGE = 'the worker was deleted';

/**
 * Deletes a worker that is not at work (docs/contract/workers.md#deletion). One that comes back all the same is
 * told that nobody knows it, and registers as a new one.
 */
export const onWorkerDelete =
  (timeoutMs: number) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.delete' }>,
    context: ServiceContext<'worker'>,
  ): void => {
    const { status } = state.record;
    const trigger = isSilent(state, timeoutMs, context) ? 'delete while silent' : 'delete while alive';
    if (!mayDeleteWorker(status, trigger)) {
      const detail =
        status === 'online'
          ? 'the worker is online: it can be deleted when it is stopped'
          : `the worker is disabled and was heard lately: it can be deleted when it was silent for ${timeoutMs / 1000} s`;
      context.reply(message.replyTo, refused('conflict', detail));
      return;
    }
    removeWorker(state, DELETED_MESSAGE, context);
    context.reply(message.replyTo, done(null));
  };

/** After a start of the service an old heartbeat is no proof that tasks of the worker run no more. */
function isSilent(state: WorkerState, timeoutMs: number, context: ServiceContext<'worker'>): boolean {
  if (hadRecentContact(state, timeoutMs, context)) return false;
  return state.bookings.size === 0 || remainingGraceMs(state, timeoutMs, context) === 0;
}
