import type { AttemptId } from '../../../src/core/ids.ts';
import type { PresenceReply, ServiceTerms } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings, Capabilities } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import { announceHeartbeat, announceRegistration, scheduleHeartbeat, confirmContact } from './announce.ts';
import { forgetFalseHints, stopClosed } from './cancel-hints.ts';
import { leaveWhenConfirmed, finishShutdown, stopAll } from './leave.ts';
import type { RegistrarMessage } from './messages.ts';
import {
  dropUnstarted,
  isSameTerms,
  leaseFreshMs,
  mayRunTasks,
  removeRunning,
  type RegistrarState,
  type Sent,
  type Terms,
} from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;
type Registered = Extract<PresenceReply, { type: 'registered' }>;
type ServiceInfo = Pick<
  Extract<PresenceReply, { type: 'alive' }>,
  'service' | 'heartbeat_timeout_ms' | keyof ServiceTerms
>;

/** Handles the reply to an announcement. Ignores replies for an earlier incarnation. */
export const onPresenceAnswered =
  (settings: AgentSettings) =>
  (
    state: RegistrarState,
    { token, reply }: Extract<RegistrarMessage, { type: 'presence.answered' }>,
    context: RegistrarContext,
  ): void => {
    const announcement = state.pending.get(token);
    state.pending.delete(token);
    if (announcement === undefined || announcement.incarnation !== state.incarnation) return;
    const isEarlier = isOfEarlierService(state, reply);
    // After a stall or a clock step, the reply to an earlier announcement may be old.
    const isFresh = announcement.sentAt >= context.receivingSince && !isEarlier;
    const isLatest = isFresh && token > state.answeredToken;
    if (isFresh && 'closed' in reply) forgetFalseHints(state, token, reply.closed);
    state.answeredToken = Math.max(state.answeredToken, token);
    switch (reply.type) {
      case 'registered':
        state.registeredCapabilities = announcement.capabilities;
        if (isLatest) recordService(state, reply, context);
        if (state.phase === 'registering' && !isEarlier)
          completeRegistration(state, reply, settings, context);
        if (isFresh) extendContact(state, announcement, context);
        applyClosed(state, reply.closed, announcement.awaitingConfirmation, isFresh, context);
        return;
      case 'alive':
        if (isLatest) recordService(state, reply, context);
        if (isLatest) extendContact(state, announcement, context);
        applyClosed(state, reply.closed, announcement.awaitingConfirmation, isFresh, context);
        return;
      case 'unknown':
        if (state.phase === 'draining') {
          context.log('warn', 'the service no longer knows this worker; stopping its tasks');
          stopAll(state, AGENT_LIMITS.fenceGraceMs, context);
          return;
        }
        if (state.phase !== 'registered') return;
        context.log('warn', 'the service does not know this worker; registering again');
        state.tries = 0;
        context.send('poller', 'poller', { type: 'poller.unregistered' });
        dropUnstarted(state);
        announceRegistration(state, settings, context);
        return;
      case 'refused':
        if (state.phase === 'registering') refused(state, reply.reason, context);
        else renewalRefused(state, announcement.capabilities, reply.reason, context);
        return;
      case 'departed':
        if (state.phase === 'departing') finishShutdown(state, context);
    }
  };

/** Handles an announcement without a reply. The timer triggers the next one; a departure is not repeated. */
export function onPresenceUnanswered(
  state: RegistrarState,
  { token, reason }: Extract<RegistrarMessage, { type: 'presence.unanswered' }>,
  context: RegistrarContext,
): void {
  const announcement = state.pending.get(token);
  state.pending.delete(token);
  if (announcement === undefined || announcement.incarnation !== state.incarnation) return;
  if (state.phase === 'departing') {
    context.log('warn', 'deregistration not confirmed; the service will detect the missing heartbeats', {
      reason,
    });
    finishShutdown(state, context);
    return;
  }
  // The bus logs a missing connection itself, and every start begins without one.
  const isWarning = state.phase !== 'registering' || (reason !== 'disconnected' && state.tries % 10 === 1);
  const level = isWarning ? 'warn' : 'debug';
  context.log(level, 'no reply from the service', { reason });
}

function completeRegistration(
  state: RegistrarState,
  reply: Registered,
  settings: AgentSettings,
  context: RegistrarContext,
): void {
  if (reply.worker_id !== state.workerId) {
    state.workerId = reply.worker_id;
    context.change({ op: 'worker-identified', workerId: reply.worker_id });
  }
  const registration = { farmId: reply.farm_id, ...termsOf(reply, reply.heartbeat_timeout_ms) };
  state.registration = registration;
  state.phase = 'registered';
  state.stopped = null;
  state.tries = 0;
  state.refusals = 0;
  countAbsence(state, registration, context);
  context.log('info', 'registered with the service', {
    worker_id: state.workerId,
    worker: settings.name,
    farm_id: registration.farmId,
  });
  context.send('poller', 'poller', {
    type: 'poller.registered',
    registration: {
      workerId: state.workerId,
      farmId: registration.farmId,
      incarnation: state.incarnation,
      queueIds: reply.queue_ids,
      leaseFreshMs: leaseFreshMs(registration),
    },
  });
  announceHeartbeat(state, registration, context);
}

/** Handles a refused registration. Retries, but less often than without a reply. */
function refused(state: RegistrarState, reason: string, context: RegistrarContext): void {
  const delayMs = backoffMs(state.refusals, AGENT_LIMITS.refusedRetry, context.newId());
  context.log('warn', `the service refused this worker: ${reason}`, { reason });
  context.after('announce', delayMs, { type: 'announce.due' });
  state.refusals++;
  state.registration = null;
}

/** Handles a refused renewal. The service keeps the earlier registration. */
function renewalRefused(
  state: RegistrarState,
  capabilities: Capabilities,
  reason: string,
  context: RegistrarContext,
): void {
  state.registeredCapabilities = capabilities;
  context.log('warn', `the service refused the changed worker capabilities: ${reason}`, { reason });
}

/**
 * Records the service's start and its terms. After a restart of the service, open lease requests are canceled because it
 * does not know them.
 */
function recordService(state: RegistrarState, reply: ServiceInfo, context: RegistrarContext): void {
  const { service, epoch } = reply;
  if (epoch !== undefined) {
    if (state.epoch === null) context.effect({ kind: 'follow-owner' });
    state.epoch = epoch;
  }
  if (state.service !== service) {
    if (state.service !== '') {
      state.earlierServices.add(state.service);
      context.effect({ kind: 'give-up-leases' });
    }
    state.mark = null;
  }
  state.service = service;
  state.mark = reply.mark ?? state.mark;
  noteReturn(state, context);
  const { registration } = state;
  if (registration === null) return;
  const terms = termsOf(reply, reply.heartbeat_timeout_ms ?? registration.heartbeatTimeoutMs);
  countAbsence(state, terms, context);
  if (isSameTerms(registration, terms)) return;
  state.registration = { ...registration, ...terms };
  if (!mayRunTasks(state)) return;
  context.send('poller', 'poller', {
    type: 'poller.freshness-changed',
    leaseFreshMs: leaseFreshMs(state.registration),
  });
  if (registration.heartbeatTimeoutMs !== terms.heartbeatTimeoutMs)
    scheduleHeartbeat(state.registration, context);
}

/** Reports whether the reply is a late one of an earlier start of the service, or of a node that has lost the farms. */
const isOfEarlierService = (state: RegistrarState, reply: PresenceReply): boolean =>
  'service' in reply &&
  (state.earlierServices.has(reply.service) || (reply.epoch ?? Infinity) < (state.epoch ?? 0));

function noteReturn(state: RegistrarState, context: RegistrarContext): void {
  if (state.isServiceAbsent) context.log('info', 'the service replies again');
  state.isServiceAbsent = false;
}

/** From this reply on, the absence of the service counts as contact for as long as the terms allow. */
function countAbsence(state: RegistrarState, { singleBus }: Terms, context: RegistrarContext): void {
  state.mayCountAbsence = singleBus !== null;
  if (singleBus === null) context.cancelTimer('absence');
  else context.after('absence', singleBus.limitMs, { type: 'absence.overdue' });
}

/** Returns the terms of a reply. An older service has no others than the heartbeat timeout. */
function termsOf(reply: ServiceTerms, heartbeatTimeoutMs: number): Terms {
  const { reclaim_after_ms: reclaimAfterMs = heartbeatTimeoutMs, bus, absence_limit_ms: limitMs = 0 } = reply;
  const isSingle = reply.single_bus === true && bus !== undefined;
  return {
    heartbeatTimeoutMs,
    reclaimAfterMs: Math.max(heartbeatTimeoutMs, reclaimAfterMs),
    singleBus: isSingle ? { id: bus, limitMs } : null,
  };
}

function extendContact(state: RegistrarState, announcement: Sent, context: RegistrarContext): void {
  if (mayRunTasks(state) && state.registration !== null)
    confirmContact(state, state.registration, announcement, context);
}

/**
 * Applies the closed attempts of a reply: stops or forgets them. Starts attempts that awaited confirmation and are
 * open.
 */
function applyClosed(
  state: RegistrarState,
  closed: readonly AttemptId[],
  asked: readonly AttemptId[],
  isFresh: boolean,
  context: RegistrarContext,
): void {
  const confirmed = closed.filter((attemptId) => state.reported.delete(attemptId));
  if (confirmed.length > 0) {
    context.send('outbox', 'outbox', { type: 'report.confirmed', attemptIds: confirmed });
  }
  const rejected = closed.filter((attemptId) => state.awaitingConfirmation.has(attemptId));
  for (const attemptId of closed) {
    if (state.running.has(attemptId) && !state.awaitingConfirmation.has(attemptId)) {
      stopClosed(state, attemptId, context);
    }
  }
  for (const attemptId of rejected) removeRunning(state, attemptId);
  if (rejected.length > 0)
    context.send('poller', 'poller', { type: 'attempts.rejected', attemptIds: rejected });
  const open = isFresh ? asked.filter((attemptId) => state.awaitingConfirmation.delete(attemptId)) : [];
  if (open.length > 0) context.send('poller', 'poller', { type: 'attempts.confirmed', attemptIds: open });
  if (state.phase === 'confirming') leaveWhenConfirmed(state, context);
}
