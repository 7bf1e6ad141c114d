import { remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext, WorkerLimits } from '../service-system.ts';
import { removeWorker } from './remove.ts';
import type { WorkerState } from './state.ts';
import { changeWorker } from './worker-turn.ts';

type WorkerContext = ServiceContext<'worker'>;

/** A long wait is divided, so that it may be longer than a timer of the system. */
const WAIT_MS_MAX = 3_600_000;
const UNUSED_MESSAGE = 'the worker was offline and had never had a task';

/**
 * Sets the timer that removes the worker if it is offline and has never had a task: no row refers to such a worker, so
 * registrations alone do not fill the table forever (docs/contract/workers.md#removal-of-unused-workers).
 */
export function watchUnused(state: WorkerState, { retentionMs }: WorkerLimits, context: WorkerContext): void {
  if (retentionMs === 0 || !isUnused(state)) return;
  const delayMs = Math.min(WAIT_MS_MAX, remainingMs(state, retentionMs, context));
  context.after('unused', delayMs, { type: 'unused.due' });
}

export const onUnusedDue =
  (limits: WorkerLimits) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    if (!isUnused(state)) return;
    if (remainingMs(state, limits.retentionMs, context) > 0) {
      watchUnused(state, limits, context);
      return;
    }
    const { id, name, farmId, ordinal } = state.record;
    context.log('info', 'removed an offline worker that had never had a task', {
      worker_id: id,
      worker: name,
    });
    removeWorker(state, UNUSED_MESSAGE, context);
    context.change(remove('workerOrdinal', keys.workerOrdinal(farmId, ordinal)));
  };

/** Records that the worker has had a task. */
export function recordUse(state: WorkerState, context: WorkerContext): void {
  if (state.record.hasLeased === false) changeWorker(state, { hasLeased: true }, context);
}

const isUnused = ({ record, bookings }: WorkerState): boolean =>
  record.status === 'offline' && record.hasLeased === false && bookings.size === 0;

/** A heartbeat in the future (the clock was set back) counts as one of now. */
const remainingMs = ({ record }: WorkerState, retentionMs: number, context: WorkerContext): number =>
  Math.min(retentionMs, Math.max(0, record.lastHeartbeatAt + retentionMs - context.now));
