import type { AttemptId } from '../../../src/core/ids.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings, Capabilities } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import { announceHeartbeat, announceRegistration, scheduleHeartbeat, confirmContact } from './announce.ts';
import { leaveWhenConfirmed, finishShutdown, stopAll } from './leave.ts';
import type { RegistrarMessage } from './messages.ts';
import { dropUnstarted, leaseFreshMs, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;
type Registered = Extract<PresenceReply, { type: 'registered' }>;
type ServiceInfo = Pick<Extract<PresenceReply, { type: 'alive' }>, 'service' | 'heartbeat_timeout_ms'>;

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
    // After a stall or a clock step, the reply to an earlier announcement may be old.
    const isFresh = announcement.sentAt >= context.receivingSince;
    switch (reply.type) {
      case 'registered':
        state.registeredCapabilities = announcement.capabilities;
        if (isFresh) recordService(state, reply, context);
        if (state.phase === 'registering') completeRegistration(state, reply, settings, context);
        if (isFresh) extendContact(state, announcement.sentAt, context);
        applyClosed(state, reply.closed, announcement.awaitingConfirmation, isFresh, context);
        return;
      case 'alive':
        if (isFresh) recordService(state, reply, context);
        if (isFresh) extendContact(state, announcement.sentAt, context);
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
  const registration = { farmId: reply.farm_id, heartbeatTimeoutMs: reply.heartbeat_timeout_ms };
  state.registration = registration;
  state.phase = 'registered';
  state.tries = 0;
  state.refusals = 0;
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
 * Records the service's start and heartbeat timeout. After a restart of the service, open lease requests are canceled
 * because it does not know them.
 */
function recordService(
  state: RegistrarState,
  { service, heartbeat_timeout_ms: heartbeatTimeoutMs }: ServiceInfo,
  context: RegistrarContext,
): void {
  if (state.service !== '' && state.service !== service) context.effect({ kind: 'give-up-leases' });
  state.service = service;
  const { registration } = state;
  if (registration === null || heartbeatTimeoutMs === undefined) return;
  if (registration.heartbeatTimeoutMs === heartbeatTimeoutMs) return;
  state.registration = { ...registration, heartbeatTimeoutMs };
  if (!mayRunTasks(state)) return;
  context.send('poller', 'poller', {
    type: 'poller.freshness-changed',
    leaseFreshMs: leaseFreshMs(state.registration),
  });
  scheduleHeartbeat(state.registration, context);
}

const mayRunTasks = ({ phase }: RegistrarState): boolean => phase === 'registered' || phase === 'draining';

function extendContact(state: RegistrarState, sentAt: number, context: RegistrarContext): void {
  if (mayRunTasks(state) && state.registration !== null) confirmContact(state.registration, sentAt, context);
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
      context.send('poller', 'poller', { type: 'attempt.revoked', attemptId });
    }
  }
  for (const attemptId of rejected) {
    state.awaitingConfirmation.delete(attemptId);
    state.running.delete(attemptId);
  }
  if (rejected.length > 0)
    context.send('poller', 'poller', { type: 'attempts.rejected', attemptIds: rejected });
  const open = isFresh ? asked.filter((attemptId) => state.awaitingConfirmation.delete(attemptId)) : [];
  if (open.length > 0) context.send('poller', 'poller', { type: 'attempts.confirmed', attemptIds: open });
  if (state.phase === 'confirming') leaveWhenConfirmed(state, context);
}
