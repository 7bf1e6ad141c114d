import type { AttemptId, WorkerId } from '../../../src/core/ids.ts';
import { WORKER_OFFLINE_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import type { HeartbeatMessage, PresenceReply, StopCause } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext, WorkerLimits } from '../service-system.ts';
import { confirmExits, giveBack, giveBackAll } from './exiting-attempts.ts';
import { mayRunTasks, recordContact, remainingPatienceMs, watchLiveness } from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import { currentTerms, isSamePromise, nextPromise, type PromiseSettings } from './promise.ts';
import type { WorkerState } from './state.ts';
import { watchUnused } from './unused.ts';
import { byJob, changeWorker, sendOffer, reportLocation } from './worker-turn.ts';

type WorkerContext = ServiceContext<'worker'>;

const RESTARTED_MESSAGE = 'the worker was restarted';
/** Messages of attempts that the worker stopped itself, by the cause in its next registration. */
const STOPPED_MESSAGES: Readonly<Record<StopCause, string>> = {
  'no-contact': 'the worker stopped the task because it had no contact with the service',
  interrupted:
    'the worker stopped the task because its daemon did not run or had no contact with the service',
};
const UNKNOWN_TO_WORKER_MESSAGE = 'the worker does not have the task';

/**
 * Handles a registration that the farm has accepted. Attempts of an earlier incarnation that the new one does not
 * report are reclaimed at once. A repeated registration of the same incarnation reclaims nothing.
 */
export const onWorkerRegistered =
  (settings: PromiseSettings) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.registered' }>,
    context: WorkerContext,
  ): void => {
    if (mayHoldName(state, message.registeredAs, settings, context)) {
      const reply: PresenceReply = { v: 1, type: 'refused', reason: heldNameReason(state.record) };
      context.reply(message.replyTo, reply);
      return;
    }
    const isNewIncarnation = state.record.incarnation !== message.record.incarnation;
    state.quarantine = message.quarantine;
    const before = state.record;
    const status = nextWorkerStatus(before.status, 'register');
    const isAnnounced = changeWorker(
      state,
      {
        ...message.record,
        ...clearedFlags(before),
        ...historyOf(before),
        status,
        registeredAt: before.registeredAt,
        lastHeartbeatAt: context.now,
        promise: nextPromise(before, null, settings),
      },
      context,
    );
    if (!isAnnounced) sendOffer(state, context);
    reportLocation(state, context);
    if (isNewIncarnation) {
      const brought = new Set(message.openAttempts);
      const lost = state.bookings.ids().filter((attemptId) => !brought.has(attemptId));
      const { stopped } = message;
      giveBack(state, lost, stopped === null ? RESTARTED_MESSAGE : STOPPED_MESSAGES[stopped], context);
      const exited = [...state.exiting].filter((attemptId) => !brought.has(attemptId));
      confirmExits(state, exited, context);
    }
    recordHeldAttempts(state, message.openAttempts, context);
    watchLiveness(state, settings, context);
    const reply: PresenceReply = {
      v: 1,
      type: 'registered',
      worker_id: state.record.id,
      farm_id: state.record.farmId,
      queue_ids: state.record.queueIds,
      heartbeat_timeout_ms: settings.heartbeatTimeoutMs,
      service: settings.serviceId,
      closed: closedAmong(state, message.openAttempts),
      ...currentTerms(settings, context),
    };
    context.reply(message.replyTo, reply);
  };

/**
 * Handles a heartbeat (docs/architecture.md#the-bus): the worker reports its open attempts, the reply lists which of
 * them are closed. Booked attempts that the worker has not reported for long enough are reclaimed as lost.
 */
export const onWorkerHeartbeat =
  (settings: PromiseSettings, lostAfterMs: number) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.heartbeat' }>,
    context: WorkerContext,
  ): void => {
    const { heartbeat } = message;
    // A heartbeat after a deregistration was sent before it.
    if (heartbeat.incarnation !== state.record.incarnation || state.record.departed === true) {
      context.reply(message.replyTo, UNKNOWN);
      return;
    }
    const { status: before, draining: wasDraining = false } = state.record;
    const { draining = false } = heartbeat;
    const status = nextWorkerStatus(before, 'heartbeat');
    const promise = nextPromise(state.record, heartbeat, settings);
    const hasChanged =
      status !== before || draining !== wasDraining || !isSamePromise(state.record.promise, promise);
    const isRecorded = !hasChanged && recordContact(state, settings.heartbeatTimeoutMs, context);
    const patch = {
      lastHeartbeatAt: context.now,
      status,
      promise,
      ...(draining === wasDraining ? {} : { draining }),
    };
    const isAnnounced = !isRecorded && changeWorker(state, patch, context);
    if (draining !== wasDraining && !isAnnounced) sendOffer(state, context);
    if (before === 'offline') reportLocation(state, context);
    // An offline worker has no liveness timer, and a disabled one may have none.
    if (before !== 'online') watchLiveness(state, settings, context);
    recordHeldAttempts(state, heartbeat.open_attempts, context);
    const lost = lostAttempts(state, heartbeat, lostAfterMs, settings, context);
    giveBack(
      state,
      lost.filter((attemptId) => state.bookings.has(attemptId)),
      UNKNOWN_TO_WORKER_MESSAGE,
      context,
    );
    confirmExits(state, lost, context);
    const reply: PresenceReply = {
      v: 1,
      type: 'alive',
      heartbeat_timeout_ms: settings.heartbeatTimeoutMs,
      service: settings.serviceId,
      closed: closedAmong(state, heartbeat.open_attempts),
      ...currentTerms(settings, context),
    };
    context.reply(message.replyTo, reply);
  };

/** Handles a departure: reclaims all open attempts. A disabled worker stays disabled. */
export const onWorkerDeregister =
  (limits: WorkerLimits) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.deregister' }>,
    context: WorkerContext,
  ): void => {
    if (message.departure.incarnation === state.record.incarnation) {
      context.cancelTimer('liveness');
      const status = nextWorkerStatus(state.record.status, 'deregister');
      changeWorker(state, { status, departed: true }, context);
      giveBackAll(state, WORKER_OFFLINE_MESSAGE, context);
      watchUnused(state, limits, context);
    }
    const reply: PresenceReply = { v: 1, type: 'departed' };
    context.reply(message.replyTo, reply);
  };

/** Only the earlier record contains whether the worker has had a task. */
const historyOf = ({ hasLeased }: WorkerRecord): Pick<WorkerRecord, 'hasLeased'> =>
  hasLeased === undefined ? {} : { hasLeased };

/** A registration ends departure and draining. */
const clearedFlags = (record: WorkerRecord): Pick<WorkerRecord, 'departed' | 'draining'> => ({
  ...(record.departed === true ? { departed: false } : {}),
  ...(record.draining === true ? { draining: false } : {}),
});

/**
 * Records the attempts that the worker reports and notifies their jobs. A reported attempt counts as running, even if
 * its running report was lost, and must not be reclaimed as never started.
 */
function recordHeldAttempts(
  state: WorkerState,
  openAttempts: readonly AttemptId[],
  context: WorkerContext,
): void {
  for (const attemptId of openAttempts) state.missedSince.delete(attemptId);
  const held = openAttempts.filter(
    (attemptId) => state.bookings.has(attemptId) && !state.held.has(attemptId),
  );
  for (const attemptId of held) state.held.add(attemptId);
  for (const [job, attemptIds] of byJob(held))
    context.send('job', job, { type: 'attempts.held', attemptIds });
}

/**
 * Returns booked and exiting attempts that the worker does not have. One heartbeat without an attempt proves nothing: it
 * may be older than the attempt. The worker sent this one after a reply that the service sent `lostAfterMs` after such a
 * heartbeat: an assignment that it takes later than that awaits confirmation (docs/decisions/outages.md).
 */
function lostAttempts(
  state: WorkerState,
  heartbeat: HeartbeatMessage,
  lostAfterMs: number,
  { serviceId }: PromiseSettings,
  context: WorkerContext,
): AttemptId[] {
  const sentAfter = sentAfterOf(heartbeat, serviceId, context);
  const openNow = new Set(heartbeat.open_attempts);
  const lost: AttemptId[] = [];
  for (const attemptId of [...state.bookings.ids(), ...state.exiting]) {
    if (openNow.has(attemptId)) continue;
    const since = state.missedSince.get(attemptId);
    if (since === undefined || since > context.now) state.missedSince.set(attemptId, context.now);
    else if (sentAfter !== null && Math.max(since, context.receivingSince) + lostAfterMs <= sentAfter)
      lost.push(attemptId);
  }
  return lost;
}

/**
 * Returns a time of this service after which the worker sent the heartbeat; null if none is known. A worker of an
 * earlier version gets the present: if it sends no newer heartbeats, it stops its tasks itself in time.
 */
function sentAfterOf(
  { reclaim_after_ms: reclaimAfterMs, service, mark }: HeartbeatMessage,
  serviceId: string,
  context: WorkerContext,
): number | null {
  if (reclaimAfterMs === undefined) return context.now;
  return service === serviceId && mark !== undefined && mark <= context.now ? mark : null;
}

/**
 * Reports whether another worker registers under the name of one that may still run its tasks. Only the same daemon ends
 * them before it registers.
 */
const mayHoldName = (
  state: WorkerState,
  registeredAs: WorkerId,
  settings: PromiseSettings,
  context: WorkerContext,
): boolean =>
  registeredAs !== state.record.id &&
  state.record.departed !== true &&
  mayRunTasks(state) &&
  remainingPatienceMs(state, settings, context) > 0;

const heldNameReason = ({ name }: WorkerRecord): string =>
  `the farm has a worker named ${JSON.stringify(name)} that is silent and may still run tasks; ` +
  'if its machine no longer exists, delete that worker';

export const UNKNOWN: PresenceReply = { v: 1, type: 'unknown' };

/** Returns reported attempts that are closed. */
function closedAmong(state: WorkerState, openAttempts: readonly AttemptId[]): AttemptId[] {
  return openAttempts.filter((attemptId) => !state.bookings.has(attemptId));
}
