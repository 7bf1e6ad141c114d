import type { AttemptId } from '../../../src/core/ids.ts';
import { WORKER_OFFLINE_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { recordContact, watchLiveness } from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import type { WorkerState } from './state.ts';
import { byJob, changeWorker, offer, reclaimAttempts, reportLocation } from './worker-turn.ts';

type WorkerContext = ServiceContext<'worker'>;

const RESTARTED_MESSAGE = 'the worker was started anew';
const UNKNOWN_TO_WORKER_MESSAGE = 'the worker does not have the task';

/**
 * The farm has accepted a registration. What an earlier incarnation had and this one does not bring along is taken
 * back at once; a repeated registration of the same incarnation takes nothing back.
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
        ...isBack(before),
        status,
        registeredAt: before.registeredAt,
        lastHeartbeatAt: context.now,
      },
      context,
    );
    if (!isAnnounced) offer(state, context);
    reportLocation(state, context);
    if (isNewIncarnation) {
      const brought = new Set(message.openAttempts);
      const lost = state.bookings.ids().filter((attemptId) => !brought.has(attemptId));
      reclaimAttempts(lost, RESTARTED_MESSAGE, context);
    }
    noteHeld(state, message.openAttempts, context);
    watchLiveness(state, timeoutMs, context);
    const reply: PresenceReply = {
      v: 1,
      type: 'registered',
      worker_id: state.record.id,
      farm_id: state.record.farmId,
      queue_ids: state.record.queueIds,
      heartbeat_timeout_ms: timeoutMs,
      service: serviceId,
      closed: closedOf(state, message.openAttempts),
    };
    context.reply(message.replyTo, reply);
  };

/**
 * The heartbeat exchange (docs/architecture.md#the-bus): the worker says what it has open, the service which of that is
 * closed. What is booked here and has long been unknown there was lost on the way and is taken back.
 */
export const onWorkerHeartbeat =
  (timeoutMs: number, lostAfterMs: number, serviceId: string) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.heartbeat' }>,
    context: WorkerContext,
  ): void => {
    const { heartbeat } = message;
    // What comes after a goodbye was sent before it.
    if (heartbeat.incarnation !== state.record.incarnation || state.record.departed === true) {
      context.reply(message.replyTo, UNKNOWN);
      return;
    }
    const { status: before, draining: wasDraining = false } = state.record;
    const { draining = false } = heartbeat;
    const status = nextWorkerStatus(before, 'heartbeat');
    const isNews = status !== before || draining !== wasDraining;
    const isNoted = !isNews && recordContact(state, timeoutMs, context);
    const patch = { lastHeartbeatAt: context.now, status, ...(draining === wasDraining ? {} : { draining }) };
    const isAnnounced = !isNoted && changeWorker(state, patch, context);
    if (draining !== wasDraining && !isAnnounced) offer(state, context);
    if (before === 'offline') reportLocation(state, context);
    // Nobody watches an offline worker, and maybe not a disabled one.
    if (before !== 'online') watchLiveness(state, timeoutMs, context);
    noteHeld(state, heartbeat.open_attempts, context);
    reclaimAttempts(
      lostAttempts(state, heartbeat.open_attempts, lostAfterMs, context),
      UNKNOWN_TO_WORKER_MESSAGE,
      context,
    );
    const reply: PresenceReply = {
      v: 1,
      type: 'alive',
      heartbeat_timeout_ms: timeoutMs,
      service: serviceId,
      closed: closedOf(state, heartbeat.open_attempts),
    };
    context.reply(message.replyTo, reply);
  };

/** The worker leaves and gives back what it has open. A disabled one stays disabled. */
export function onWorkerDeregister(
  state: WorkerState,
  message: Extract<WorkerMessage, { type: 'worker.deregister' }>,
  context: WorkerContext,
): void {
  if (message.departure.incarnation === state.record.incarnation) {
    context.cancelTimer('liveness');
    const status = nextWorkerStatus(state.record.status, 'deregister');
    changeWorker(state, { status, departed: true }, context);
    reclaimAttempts(state.bookings.ids(), WORKER_OFFLINE_MESSAGE, context);
  }
  const reply: PresenceReply = { v: 1, type: 'departed' };
  context.reply(message.replyTo, reply);
}

/** A worker that registers has not departed any more, and takes tasks. */
const isBack = (record: WorkerRecord): Pick<WorkerRecord, 'departed' | 'draining'> => ({
  ...(record.departed === true ? { departed: false } : {}),
  ...(record.draining === true ? { draining: false } : {}),
});

/**
 * The worker has said which attempts it has. Their jobs are told: what a worker has is running, even when the report
 * that said so was lost, and must not be given away as never started.
 */
function noteHeld(state: WorkerState, openAttempts: readonly AttemptId[], context: WorkerContext): void {
  for (const attemptId of openAttempts) state.missedSince.delete(attemptId);
  const held = openAttempts.filter(
    (attemptId) => state.bookings.has(attemptId) && !state.held.has(attemptId),
  );
  for (const attemptId of held) state.held.add(attemptId);
  for (const [job, attemptIds] of byJob(held))
    context.send('job', job, { type: 'attempts.held', attemptIds });
}

/**
 * Booked attempts that the worker does not have: for all that time no heartbeat has come with them, and some without. One heartbeat
 * without an attempt proves nothing, it may be older than the attempt. A worker that has it and of which nothing newer was heard for so
 * long has stopped it by itself (docs/architecture.md#the-bus).
 */
function lostAttempts(
  state: WorkerState,
  openAttempts: readonly AttemptId[],
  lostAfterMs: number,
  context: WorkerContext,
): AttemptId[] {
  const openNow = new Set(openAttempts);
  const lost: AttemptId[] = [];
  for (const attemptId of state.bookings.ids()) {
    if (openNow.has(attemptId)) continue;
    const since = state.missedSince.get(attemptId);
    if (since === undefined || since > context.now) state.missedSince.set(attemptId, context.now);
    else if (Math.max(since, context.receivingSince) + lostAfterMs <= context.now) lost.push(attemptId);
  }
  return lost;
}

export const UNKNOWN: PresenceReply = { v: 1, type: 'unknown' };

/** Attempts that the worker believes open and that are closed. */
function closedOf(state: WorkerState, openAttempts: readonly AttemptId[]): AttemptId[] {
  return openAttempts.filter((attemptId) => !state.bookings.has(attemptId));
}
