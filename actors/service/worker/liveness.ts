import type { AttemptId } from '../../../src/core/ids.ts';
import { WORKER_OFFLINE_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import { giveBackAll } from './exiting-attempts.ts';
import { absenceMs, patienceMs, type PromiseSettings } from './promise.ts';
import type { WorkerState } from './state.ts';
import { watchUnused } from './unused.ts';
import { byJob, changeWorker } from './worker-turn.ts';

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

/** Start of the worker's silence. After the clock was set back, only the receiving time of the service counts. */
const silentSince = (state: WorkerState, context: WorkerContext): number =>
  Math.max(lastContactAt(state, context) ?? 0, context.receivingSince);

/**
 * Returns for how many milliseconds the worker's silence proves nothing. 0 if it was silent for a whole timeout in
 * which the service could receive its heartbeats
 * (docs/dependency-hazards.md#d10-silence-after-an-outage-of-the-service).
 */
export const remainingGraceMs = (state: WorkerState, timeoutMs: number, context: WorkerContext): number =>
  Math.max(0, silentSince(state, context) + timeoutMs - context.now);

/**
 * Returns for how many milliseconds the tasks of the silent worker must not be reclaimed, because it may still run them
 * (docs/decisions/outages.md).
 */
export function remainingPatienceMs(
  state: WorkerState,
  settings: PromiseSettings,
  context: WorkerContext,
): number {
  const patience = patienceMs(state, settings);
  const absence = absenceMs(state, settings);
  const until = Math.max(
    silentSince(state, context) + patience,
    absence === 0 ? 0 : context.receivingSince + absence + patience,
  );
  return Math.max(0, until - context.now);
}

/** Reports whether the worker's last heartbeat is younger than the timeout. */
export function hadRecentContact(state: WorkerState, timeoutMs: number, context: WorkerContext): boolean {
  return context.now - (lastContactAt(state, context) ?? context.receivingSince) < timeoutMs;
}

/** Reports whether the worker has open attempts, or canceled ones whose processes may still run. */
export const mayRunTasks = ({ bookings, exiting }: WorkerState): boolean => bookings.size + exiting.size > 0;

/** Sets the timer of the liveness check. A worker that is not online and has no tasks needs none. */
export function watchLiveness(state: WorkerState, settings: PromiseSettings, context: WorkerContext): void {
  if (state.record.status === 'online')
    wait(remainingGraceMs(state, settings.heartbeatTimeoutMs, context), context);
  else if (mayRunTasks(state)) wait(remainingPatienceMs(state, settings, context), context);
}

const wait = (delayMs: number, context: WorkerContext): void => {
  context.after('liveness', delayMs, { type: 'liveness.due' });
};

/**
 * Checks liveness. After a whole timeout of silence, asks the farm whether the worker may go offline. A worker that is
 * offline already loses its tasks after the promised time of silence. A disabled worker without tasks is left alone
 * until its next heartbeat.
 */
export const onLivenessDue =
  (settings: PromiseSettings) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    const { record } = state;
    if (record.status !== 'online' && !mayRunTasks(state)) return;
    if (isWaiting(state, settings, context)) watchLiveness(state, settings, context);
    else if (record.status === 'offline') askBus(state, settings, context);
    else context.send('farm', record.farmId, { type: 'worker.expiry-requested', workerId: record.id });
  };

/** Reports whether the silence of the worker proves nothing yet. */
const isWaiting = (state: WorkerState, settings: PromiseSettings, context: WorkerContext): boolean =>
  state.record.status === 'online'
    ? remainingGraceMs(state, settings.heartbeatTimeoutMs, context) > 0
    : remainingPatienceMs(state, settings, context) > 0;

/**
 * Sets the worker offline (a disabled one stays disabled), and reclaims its tasks if it cannot run them any more.
 * Canceled attempts count as ended only then, too.
 */
export const onExpiryGranted =
  (settings: PromiseSettings & Pick<ServiceSettings, 'workers'>) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    if (isWaiting(state, settings, context)) {
      watchLiveness(state, settings, context);
      return;
    }
    const { record } = state;
    const leftMs = remainingPatienceMs(state, settings, context);
    const facts = { worker_id: record.id, worker: record.name, tasks: String(state.bookings.size) };
    if (leftMs === 0)
      context.log('warn', 'no heartbeat for a whole timeout; reclaiming the tasks of the worker', facts);
    else
      context.log('warn', 'no heartbeat for a whole timeout; the worker may still run its tasks', {
        ...facts,
        reclaim_in_ms: String(Math.ceil(leftMs)),
      });
    changeWorker(state, { status: nextWorkerStatus(record.status, 'timeout') }, context);
    watchUnused(state, settings.workers, context);
    if (!mayRunTasks(state)) return;
    if (leftMs > 0) wait(leftMs, context);
    else askBus(state, settings, context);
  };

/**
 * Asks the bus for a round trip before tasks are reclaimed. If the bus has dropped the connection of the service without
 * its knowledge, workers count its "no responders" as contact and continue (docs/decisions/outages.md).
 */
function askBus(state: WorkerState, { heartbeatTimeoutMs }: PromiseSettings, context: WorkerContext): void {
  context.effect({ kind: 'confirm-bus', workerId: state.record.id, askedAt: context.now });
  // Without an answer, the check is repeated.
  wait(heartbeatTimeoutMs, context);
}

/**
 * Reclaims the attempts that waited for the confirmation and ends the wait for canceled ones, unless the worker sent a message meanwhile or the connection
 * was interrupted: then its silence counts from the next connection.
 */
export const onBusConfirmed =
  (settings: PromiseSettings) =>
  (state: WorkerState, { askedAt }: { readonly askedAt: number }, context: WorkerContext): void => {
    const overdue = [...state.overdue].filter((attemptId) => !state.held.has(attemptId));
    state.overdue.clear();
    if (context.receivingSince > askedAt) return;
    if (state.record.status !== 'online' && !isWaiting(state, settings, context)) {
      giveBackAll(state, WORKER_OFFLINE_MESSAGE, context);
      return;
    }
    for (const attemptId of overdue) state.reclaimed.add(attemptId);
    reclaimOverdue(overdue, context);
  };

const STALE_MESSAGE = 'the worker did not report the attempt as running in time';

/**
 * Handles attempts that were not reported running in time. A worker that may run them for longer than the heartbeat
 * timeout is left alone: its next heartbeats show whether it has them, and its silence is handled by the liveness check.
 */
export const onAttemptsOverdue =
  (settings: PromiseSettings) =>
  (
    state: WorkerState,
    { attemptIds }: { readonly attemptIds: readonly AttemptId[] },
    context: WorkerContext,
  ): void => {
    if (isPatient(state, settings)) return;
    for (const attemptId of attemptIds) if (state.bookings.has(attemptId)) state.overdue.add(attemptId);
    if (state.overdue.size === 0) return;
    context.effect({ kind: 'confirm-bus', workerId: state.record.id, askedAt: context.now });
  };

/** Requests the jobs to reclaim attempts that no worker has reported running. */
export function reclaimOverdue(attemptIds: readonly AttemptId[], context: WorkerContext): void {
  for (const [job, ofJob] of byJob(attemptIds))
    context.send('job', job, {
      type: 'attempts.reclaim',
      attemptIds: ofJob,
      reason: STALE_MESSAGE,
      isStale: true,
    });
}

/** Reports whether the worker may run tasks without contact for longer than the heartbeat timeout. */
const isPatient = (state: WorkerState, settings: PromiseSettings): boolean =>
  patienceMs(state, settings) > settings.heartbeatTimeoutMs || absenceMs(state, settings) > 0;
