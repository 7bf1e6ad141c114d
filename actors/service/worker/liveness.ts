import { WORKER_OFFLINE_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import type { ServiceContext } from '../service-system.ts';
import { giveBackAll } from './exiting-attempts.ts';
import type { WorkerState } from './state.ts';
import { changeWorker } from './worker-turn.ts';

type WorkerContext = ServiceContext<'worker'>;

/**
 * Maximum age of the stored heartbeat, as a share of the heartbeat timeout and in milliseconds. Bounds the writes for
 * an unchanged worker. A reader of the record still sees a recent heartbeat if the timeout is long.
 */
const STORED_HEARTBEAT_SHARE = 0.5;
const STORED_HEARTBEAT_MS_MAX = 15_000;

export const storedHeartbeatAgeMs = (timeoutMs: number): number =>
  Math.min(timeoutMs * STORED_HEARTBEAT_SHARE, STORED_HEARTBEAT_MS_MAX);

/**
 * Records a heartbeat without changes. Returns whether the stored one is recent enough, so that nothing needs to be
 * written.
 */
export function recordContact(state: WorkerState, timeoutMs: number, context: WorkerContext): boolean {
  const age = context.now - state.storedHeartbeatAt;
  if (age < 0 || age >= storedHeartbeatAgeMs(timeoutMs)) return false;
  state.record = { ...state.record, lastHeartbeatAt: context.now };
  return true;
}

/**
 * Returns the time of the last contact, or the latest possible one after a load. Null if it is in the future: then the
 * clock was set back.
 */
function lastContactAt({ record, maybeContactAt }: WorkerState, context: WorkerContext): number | null {
  if (record.lastHeartbeatAt > context.now) return null;
  return maybeContactAt > context.now
    ? record.lastHeartbeatAt
    : Math.max(record.lastHeartbeatAt, maybeContactAt);
}

/**
 * Returns for how many milliseconds the worker's silence proves nothing. 0 if it was silent for a whole timeout in
 * which the service could receive its heartbeats
 * (docs/dependency-hazards.md#d10-silence-after-an-outage-of-the-service).
 */
export function remainingGraceMs(state: WorkerState, timeoutMs: number, context: WorkerContext): number {
  // After the clock was set back, only the receiving time of the service counts.
  const silentSince = Math.max(lastContactAt(state, context) ?? 0, context.receivingSince);
  return Math.max(0, silentSince + timeoutMs - context.now);
}

/** Reports whether the worker's last heartbeat is younger than the timeout. */
export function hadRecentContact(state: WorkerState, timeoutMs: number, context: WorkerContext): boolean {
  return context.now - (lastContactAt(state, context) ?? context.receivingSince) < timeoutMs;
}

/** Sets the timer of the liveness check. An offline worker needs none. */
export function watchLiveness(state: WorkerState, timeoutMs: number, context: WorkerContext): void {
  if (state.record.status === 'offline') return;
  context.after('liveness', remainingGraceMs(state, timeoutMs, context), { type: 'liveness.due' });
}

/**
 * Checks liveness. After a whole timeout of silence, asks the farm whether the worker may go offline. A disabled worker
 * without tasks is left alone until its next heartbeat.
 */
export const onLivenessDue =
  (timeoutMs: number) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    if (state.record.status === 'offline') return;
    if (remainingGraceMs(state, timeoutMs, context) > 0) {
      watchLiveness(state, timeoutMs, context);
      return;
    }
    if (state.record.status === 'disabled' && state.bookings.size + state.exiting.size === 0) return;
    context.send('farm', state.record.farmId, { type: 'worker.expiry-requested', workerId: state.record.id });
  };

/** Sets the worker offline (a disabled one stays disabled) and reclaims its tasks. */
export const onExpiryGranted =
  (timeoutMs: number) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    if (remainingGraceMs(state, timeoutMs, context) > 0) {
      watchLiveness(state, timeoutMs, context);
      return;
    }
    const { record } = state;
    context.log('warn', 'no heartbeat for a whole timeout; reclaiming the tasks of the worker', {
      worker_id: record.id,
      worker: record.name,
      tasks: String(state.bookings.size),
    });
    changeWorker(state, { status: nextWorkerStatus(record.status, 'timeout') }, context);
    giveBackAll(state, WORKER_OFFLINE_MESSAGE, context);
  };
