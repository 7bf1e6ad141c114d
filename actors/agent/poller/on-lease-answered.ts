import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { requestWork, backOff, flushUnsentReports } from './request-work.ts';
import { takeAssignments } from './assignments.ts';
import type { PollerMessage, Registration } from './messages.ts';
import type { OpenRequest, PollerState, QueueToken } from './state.ts';

type PollerContext = AgentContext<'poller'>;

/** Work, or no work for now; and what the service has taken in of the reports that rode on the request. */
export const onLeaseAnswered =
  (cpuCount: number) =>
  (
    state: PollerState,
    message: Extract<PollerMessage, { type: 'lease.answered' }>,
    context: PollerContext,
  ): void => {
    const { requestId, reply } = message;
    const found = takeRequest(state, requestId);
    rideIsOver(requestId, reply, context);
    // None: a request of an earlier incarnation. The service has taken back what it gave to that one.
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
    warnOfLost(reply, context);
    return;
  }
  if (reply.assignments.length === 0 && context.now - request.sentAt < AGENT_LIMITS.leaseEmptyMsMin) {
    backOff(state, queue, context);
    return;
  }
  state.tries.delete(queue);
  takeAssignments(state, reply, isDoubtful(request, registration, context), context);
  requestWork(state, cpuCount, context);
}

/** Nobody answered. A request that was held to its end is repeated at once; the others after a while. */
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

/** An answer to a request that was given up: the tasks may have been given away meanwhile, so they are asked about first. */
export const onLeaseAnsweredLate =
  (cpuCount: number) =>
  (
    state: PollerState,
    { reply }: Extract<PollerMessage, { type: 'lease.answered-late' }>,
    context: PollerContext,
  ): void => {
    if (reply.type === 'unknown') return;
    if (state.registration === null) warnOfLost(reply, context);
    else takeAssignments(state, reply, true, context);
    requestWork(state, cpuCount, context);
  };

/**
 * Whether the service could take the work back while it runs here: it does when it hears nothing for a while, and the assignment may have
 * been under way for as long as the request.
 */
function isDoubtful(request: OpenRequest, { leaseFreshMs }: Registration, context: PollerContext): boolean {
  return request.sentAt < context.receivingSince || context.now - request.sentAt >= leaseFreshMs;
}

/** The service names the attempts whose ends it has on its disk. An attempt that is closed stays closed, whoever asked. */
function rideIsOver(requestId: string, reply: LeaseReply, context: PollerContext): void {
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

function warnOfLost(reply: Extract<LeaseReply, { type: 'leases' }>, context: PollerContext): void {
  if (reply.assignments.length === 0) return;
  context.log('warn', 'work came while this worker was not registered; the service takes it back', {
    attempts: reply.assignments.map((assignment) => assignment.attempt_id).join(' '),
  });
}
