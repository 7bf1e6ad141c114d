import { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import type { Registration } from './messages.ts';
import { heldCores, type PollerState, type QueueToken } from './state.ts';

type PollerContext = AgentContext<'poller'>;

/** Sends one lease request per queue (docs/contract/lease.md#lease-requests) while cores are free. */
export function requestWork(state: PollerState, cpuCount: number, context: PollerContext): void {
  const { registration } = state;
  if (registration === null || state.isLeaving || heldCores(state) >= cpuCount) return;
  for (const queue of queuesOf(registration)) {
    if (state.requests.has(queue) || state.inBackoff.has(queue)) continue;
    const id = context.newId();
    state.requests.set(queue, { id, incarnation: registration.incarnation, sentAt: context.now });
    context.send('outbox', 'outbox', {
      type: 'lease-request.sending',
      requestId: id,
      queue,
      request: {
        v: 1,
        worker_id: registration.workerId,
        farm_id: registration.farmId,
        incarnation: registration.incarnation,
      },
      timeoutMs: AGENT_LIMITS.leaseTimeoutMs,
    });
  }
}

/**
 * Publishes waiting reports unless a lease request is about to be sent. A request that is not answered at once is
 * parked, possibly for long.
 */
export function flushUnsentReports(state: PollerState, context: PollerContext): void {
  for (const { sentAt } of state.requests.values()) {
    if (context.now - sentAt < AGENT_LIMITS.piggybackWaitMs) return;
  }
  context.send('outbox', 'outbox', { type: 'piggyback.unavailable' });
}

/** Delays the next request of the queue, longer each time. */
export function backOff(state: PollerState, queue: QueueToken, context: PollerContext): void {
  const tries = state.tries.get(queue) ?? 0;
  state.tries.set(queue, tries + 1);
  state.inBackoff.add(queue);
  const delayMs = backoffMs(tries, AGENT_LIMITS.leaseRetry, context.newId());
  context.after(`retry ${queue}`, delayMs, { type: 'lease.retry', queue });
}

const queuesOf = (registration: Registration): readonly QueueToken[] =>
  registration.queueIds.length === 0 ? [ANY_QUEUE] : registration.queueIds;
