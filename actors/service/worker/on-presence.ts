import type { AttemptId } from '../../../src/core/ids.ts';
import { WORKER_OFFLINE_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { confirmExits, giveBack, giveBackAll } from './exiting-attempts.ts';
import { recordContact, watchLiveness } from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import type { WorkerState } from './state.ts';
import { byJob, changeWorker, sendOffer, reportLocation } from './worker-turn.ts';

type WorkerContext = ServiceContext<'worker'>;

const RESTARTED_MESSAGE = 'the worker was restarted';
const UNKNOWN_TO_WORKER_MESSAGE = 'the worker does not have the task';

/**
 * Handles a registration that the farm has accepted. Attempts of an earlier incarnation that the new one does not
 * report are reclaimed at once. A repeated registration of the same incarnation reclaims nothing.
 */
export const onWorkerRegistered =
  (timeoutMs: number, serviceId: string) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.registered' }>,
    context: WorkerContext,
  ): void => {
    const isNewIncarnation = state.record.incarnation !== message.record.incarnation;
    const before = state.record;
    const status = nextWorkerStatus(before.status, 'register');
    const isAnnounced = changeWorker(
      state,
      {
        ...message.record,
        ...clearedFlags(before),
        status,
        registeredAt: before.registeredAt,
        lastHeartbeatAt: context.now,
      },
      context,
    );
    if (!isAnnounced) sendOffer(state, context);
    reportLocation(state, context);
    if (isNewIncarnation) {
      const brought = new Set(message.openAttempts);
      const lost = state.bookings.ids().filter((attemptId) => !brought.has(attemptId));
      giveBack(state, lost, RESTARTED_MESSAGE, context);
      confirmExits(
        state,
        [...state.exiting].filter((attemptId) => !brought.has(attemptId)),
        context,
      );
    }
    recordHeldAttempts(state, message.openAttempts, context);
    watchLiveness(state, timeoutMs, context);
    const reply: PresenceReply = {
      v: 1,
      type: 'registered',
      worker_id: state.record.id,
      farm_id: state.record.farmId,
      queue_ids: state.record.queueIds,
      heartbeat_timeout_ms: timeoutMs,
      service: serviceId,
      closed: closedAmong(state, message.openAttempts),
    };
    context.reply(message.replyTo, reply);
  };

/**
 * Handles a heartbeat (docs/architecture.md#the-bus): the worker reports its open attempts, the reply lists which of
 * them are closed. Booked attempts that the worker has not reported for long enough are reclaimed as lost.
 */
export const onWorkerHeartbeat =
  (timeoutMs: number, lostAfterMs: number, serviceId: string) =>
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
    const hasChanged = status !== before || draining !== wasDraining;
    const isRecorded = !hasChanged && recordContact(state, timeoutMs, context);
    const patch = { lastHeartbeatAt: context.now, status, ...(draining === wasDraining ? {} : { draining }) };
    const isAnnounced = !isRecorded && changeWorker(state, patch, context);
    if (draining !== wasDraining && !isAnnounced) sendOffer(state, context);
    if (before === 'offline') reportLocation(state, context);
    // An offline worker has no liveness timer, and a disabled one may have none.
    if (before !== 'online') watchLiveness(state, timeoutMs, context);
    recordHeldAttempts(state, heartbeat.open_attempts, context);
    const lost = lostAttempts(state, heartbeat.open_attempts, lostAfterMs, context);
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
      heartbeat_timeout_ms: timeoutMs,
      service: serviceId,
      closed: closedAmong(state, heartbeat.open_attempts),
    };
    context.reply(message.replyTo, reply);
  };

/** Handles a departure: reclaims all open attempts. A disabled worker stays disabled. */
export function onWorkerDeregister(
  state: WorkerState,
  message: Extract<WorkerMessage, { type: 'worker.deregister' }>,
  context: WorkerContext,
): void {
  if (message.departure.incarnation === state.record.incarnation) {
    context.cancelTimer('liveness');
    const status = nextWorkerStatus(state.record.status, 'deregister');
    changeWorker(state, { status, departed: true }, context);
    giveBackAll(state, WORKER_OFFLINE_MESSAGE, context);
  }
  const reply: PresenceReply = { v: 1, type: 'departed' };
  context.reply(message.replyTo, reply);
}

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
 * Returns booked and exiting attempts that the worker has not reported for `lostAfterMs`. One heartbeat without an attempt proves
 * nothing: it may be older than the attempt. A worker that has the attempt but sends no newer heartbeats for that long
 * stops it itself (docs/architecture.md#the-bus).
 */
function lostAttempts(
  state: WorkerState,
  openAttempts: readonly AttemptId[],
  lostAfterMs: number,
  context: WorkerContext,
): AttemptId[] {
  const openNow = new Set(openAttempts);
  const lost: AttemptId[] = [];
  for (const attemptId of [...state.bookings.ids(), ...state.exiting]) {
    if (openNow.has(attemptId)) continue;
    const since = state.missedSince.get(attemptId);
    if (since === undefined || since > context.now) state.missedSince.set(attemptId, context.now);
    else if (Math.max(since, context.receivingSince) + lostAfterMs <= context.now) lost.push(attemptId);
  }
  return lost;
}

export const UNKNOWN: PresenceReply = { v: 1, type: 'unknown' };

/** Returns reported attempts that are closed. */
function closedAmong(state: WorkerState, openAttempts: readonly AttemptId[]): AttemptId[] {
  return openAttempts.filter((attemptId) => !state.bookings.has(attemptId));
}
