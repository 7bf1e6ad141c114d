import { WORKER_OFFLINE_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerState } from './state.ts';
import { changeWorker, reclaimAttempts } from './worker-turn.ts';

type WorkerContext = ServiceContext<'worker'>;

/**
 * How much older than the last heartbeat of a worker the one may be that the store has, as a share of the heartbeat timeout, and at the most:
 * a worker that has nothing new to say costs a row only so often, and who looks at a worker with a long timeout still sees that it lives.
 */
const STORED_HEARTBEAT_SHARE = 0.5;
const STORED_HEARTBEAT_MS_MAX = 15_000;

export const storedHeartbeatAgeMs = (timeoutMs: number): number =>
  Math.min(timeoutMs * STORED_HEARTBEAT_SHARE, STORED_HEARTBEAT_MS_MAX);

/** Notes a heartbeat that has changed nothing. Gives whether the store has one that is recent enough: then nothing is to be written. */
export function recordContact(state: WorkerState, timeoutMs: number, context: WorkerContext): boolean {
  const age = context.now - state.storedHeartbeatAt;
  if (age < 0 || age >= storedHeartbeatAgeMs(timeoutMs)) return false;
  state.record = { ...state.record, lastHeartbeatAt: context.now };
  return true;
}

/** When the worker was heard last, or may have been; null for a heartbeat of the future: the clock was set back since. */
function heardAt({ record, maybeHeardAt }: WorkerState, context: WorkerContext): number | null {
  if (record.lastHeartbeatAt > context.now) return null;
  return maybeHeardAt > context.now ? record.lastHeartbeatAt : Math.max(record.lastHeartbeatAt, maybeHeardAt);
}

/**
 * For how much longer the worker's silence proves nothing, in milliseconds; 0 when it has been silent for a whole
 * timeout in which the service was able to hear it
 * (docs/dependency-hazards.md#d10-silence-after-an-outage-of-the-service).
 */
export function remainingGraceMs(state: WorkerState, timeoutMs: number, context: WorkerContext): number {
  // Since the clock was set back the service listens anew.
  const silentSince = Math.max(heardAt(state, context) ?? 0, context.receivingSince);
  return Math.max(0, silentSince + timeoutMs - context.now);
}

/** Whether the worker's last heartbeat is younger than the timeout. */
export function hadRecentContact(state: WorkerState, timeoutMs: number, context: WorkerContext): boolean {
  return context.now - (heardAt(state, context) ?? context.receivingSince) < timeoutMs;
}

/** Sets the timer that looks whether the worker was heard. An offline worker needs none. */
export function watchLiveness(state: WorkerState, timeoutMs: number, context: WorkerContext): void {
  if (state.record.status === 'offline') return;
  context.after('liveness', remainingGraceMs(state, timeoutMs, context), { type: 'liveness.due' });
}

/**
 * The worker may have been silent for a whole timeout; the farm decides whether it goes offline now. A disabled one that
 * holds nothing has nothing to lose: it is left alone until it is heard again.
 */
export const onLivenessDue =
  (timeoutMs: number) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    if (state.record.status === 'offline') return;
    if (remainingGraceMs(state, timeoutMs, context) > 0) {
      watchLiveness(state, timeoutMs, context);
      return;
    }
    if (state.record.status === 'disabled' && state.bookings.size === 0) return;
    context.send('farm', state.record.farmId, { type: 'worker.expiry-requested', workerId: state.record.id });
  };

/** The worker is given up: it is offline (a disabled one stays disabled), and its tasks go back to ready. */
export const onExpiryGranted =
  (timeoutMs: number) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    if (remainingGraceMs(state, timeoutMs, context) > 0) {
      watchLiveness(state, timeoutMs, context);
      return;
    }
    const { record } = state;
    context.log('warn', 'a worker was not heard for a whole heartbeat timeout; its tasks are taken back', {
      worker_id: record.id,
      worker: record.name,
      tasks: String(state.bookings.size),
    });
    changeWorker(state, { status: nextWorkerStatus(record.status, 'timeout') }, context);
    reclaimAttempts(state.bookings.ids(), WORKER_OFFLINE_MESSAGE, context);
  };
