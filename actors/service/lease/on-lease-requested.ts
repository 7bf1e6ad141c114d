import { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { replyUnknownWorker, park, serve } from './serve.ts';
import type { LeaseState } from './state.ts';
import type { UnansweredRequest } from './pending-leases.ts';

/** A worker asks for work: it gets some at once, or waits (docs/contract/lease.md). */
export const onLeaseRequested =
  (holdMs: number) =>
  (
    state: LeaseState,
    message: Extract<LeaseMessage, { type: 'lease.requested' }>,
    context: ServiceContext<'lease'>,
  ): void => {
    const worker = state.workers.get(message.workerId);
    if (worker === undefined || worker.incarnation !== message.incarnation) {
      replyUnknownWorker(message, context);
      return;
    }
    const request: UnansweredRequest = {
      // The text that its actor is found by, and not that of the message, so that looks for it compare no characters.
      workerId: worker.offer.workerId,
      queueId: message.queue === ANY_QUEUE ? null : message.queue,
      replyTo: message.replyTo,
      until: context.now + holdMs,
    };
    if (!serve(state, request, context)) park(state, request, context);
  };
