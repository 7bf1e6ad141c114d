import { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { replyUnknownWorker, park, serve } from './serve.ts';
import type { LeaseState } from './state.ts';
import type { UnansweredRequest } from './pending-leases.ts';

/** Handles a lease request: assigns tasks at once or parks it (docs/contract/lease.md). */
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
      // The same string instance as the key of `workers`, not that of the message, so that map lookups compare no
      // characters.
      workerId: worker.offer.workerId,
      queueId: message.queue === ANY_QUEUE ? null : message.queue,
      replyTo: message.replyTo,
      until: context.now + holdMs,
    };
    if (!serve(state, request, context)) park(state, request, context);
  };
