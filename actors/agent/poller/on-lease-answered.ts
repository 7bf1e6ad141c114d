import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { requestWork, backOff, flushUnsentReports } from './request-work.ts';
import { takeAssignments } from './assignments.ts';
import type { PollerMessage, Registration } from './messages.ts';
import type { OpenRequest, PollerState, QueueToken } from './state.ts';

type PollerContext = AgentContext<'poller'>;

/** Handles the reply to a lease request: assignments, or none for now, and confirmations of the piggybacked reports. */
export const onLeaseAnswered =
  (cpuCount: number) =>
  (
    state: PollerState,
    message: Extract<PollerMessage, { type: 'lease.answered' }>,
    context: PollerContext,
  ): void => {
    const { requestId, reply } = message;
    const found = takeRequest(state, requestId);
    endPiggyback(requestId, reply, context);
    // Null for a request of an earlier incarnation. The service has reclaimed its assignments.
    if (found !== null) takeReply(state, found, reply, cpuCount, context);
    flushUnsentReports(state, context);
  };

function takeReply(
  state: PollerState,
  { queue, request }: FoundRequest,
  reply: LeaseReply,
  cpuCount: number,
  context: PollerContext,
): void {
  if (reply.type === 'unknown') {
    context.send('registrar', 'registrar', {
      type: 'registration.stale',
      incarnation: request.incarnation,
    });
    backOff(state, queue, context);
    return;
  }
  const { registration } = state;
  if (registration === null) {
    warnOfIgnored(reply, context);
    return;
  }
  if (reply.assignments.length === 0 && context.now - request.sentAt < AGENT_LIMITS.leaseEmptyMsMin) {
    backOff(state, queue, context);
    return;
  }
  state.tries.delete(queue);
  takeAssignments(state, reply, needsConfirmation(request, registration, context), context);
  requestWork(state, cpuCount, context);
}

/** Handles a lease request without a reply. Repeats it at once after its timeout, otherwise after a delay. */
export const onLeaseUnanswered =
  (cpuCount: number) =>
  (
    state: PollerState,
    { requestId, reason }: Extract<PollerMessage, { type: 'lease.unanswered' }>,
    context: PollerContext,
  ): void => {
    const found = takeRequest(state, requestId);
    context.send('outbox', 'outbox', { type: 'lease-request.ended', requestId, confirmed: [] });
    if (found !== null) {
      if (reason !== 'timed-out') backOff(state, found.queue, context);
      requestWork(state, cpuCount, context);
    }
    flushUnsentReports(state, context);
  };

/** Handles a reply to a canceled request. Its tasks may have been reclaimed meanwhile, so they await confirmation. */
export const onLeaseAnsweredLate =
  (cpuCount: number) =>
  (
    state: PollerState,
    { reply }: Extract<PollerMessage, { type: 'lease.answered-late' }>,
    context: PollerContext,
  ): void => {
    if (reply.type === 'unknown') return;
    if (state.registration === null) warnOfIgnored(reply, context);
    else takeAssignments(state, reply, true, context);
    requestWork(state, cpuCount, context);
  };

/**
 * Reports whether the service could reclaim the assignments while they run here. It does so when it receives no report
 * for a while, and the assignments may have been in transit for as long as the request.
 */
function needsConfirmation(
  request: OpenRequest,
  { leaseFreshMs }: Registration,
  context: PollerContext,
): boolean {
  return request.sentAt < context.receivingSince || context.now - request.sentAt >= leaseFreshMs;
}

/** Passes the confirmed reports on. A closed attempt stays closed, whichever request reported it. */
function endPiggyback(requestId: string, reply: LeaseReply, context: PollerContext): void {
  const confirmed = reply.type === 'leases' ? (reply.confirmed ?? []) : [];
  context.send('outbox', 'outbox', { type: 'lease-request.ended', requestId, confirmed });
  if (confirmed.length > 0) {
    context.send('registrar', 'registrar', { type: 'reports.confirmed', attemptIds: confirmed });
  }
}

interface FoundRequest {
  readonly queue: QueueToken;
  readonly request: OpenRequest;
}

function takeRequest(state: PollerState, requestId: string): FoundRequest | null {
  for (const [queue, request] of state.requests) {
    if (request.id !== requestId) continue;
    state.requests.delete(queue);
    return { queue, request };
  }
  return null;
}

function warnOfIgnored(reply: Extract<LeaseReply, { type: 'leases' }>, context: PollerContext): void {
  if (reply.assignments.length === 0) return;
  context.log(
    'warn',
    'ignored assignments that arrived while the worker was not registered; the service will reclaim them',
    {
      attempts: reply.assignments.map((assignment) => assignment.attempt_id).join(' '),
    },
  );
}
