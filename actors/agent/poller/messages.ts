import type { AttemptId, FarmId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';

/** How the service knows the worker. */
export interface Registration {
  readonly workerId: WorkerId;
  readonly farmId: FarmId;
  readonly incarnation: string;
  /** Queues that the worker serves; empty means every queue of the farm. */
  readonly queueIds: readonly QueueId[];
}

/** The poller: asks for work while cores are free, and hands assignments to sessions. */
export type PollerMessage =
  /** From the registrar. */
  | { readonly type: 'poller.registered'; readonly registration: Registration }
  /** From the registrar: no work may be asked for or begun. */
  | { readonly type: 'poller.unregistered' }
  /** From the registrar: doubted attempts that the service knows as open. */
  | { readonly type: 'attempts.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From the registrar: doubted attempts that are closed. */
  | { readonly type: 'attempts.refuted'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus. */
  | { readonly type: 'lease.answered'; readonly requestId: string; readonly reply: LeaseReply }
  | { readonly type: 'lease.unanswered'; readonly requestId: string; readonly reason: LeaseFailure }
  /** From the bus: an answer to a request that had been given up. */
  | { readonly type: 'lease.answered-late'; readonly reply: LeaseReply }
  /** Own timer: a queue may be asked again. */
  | { readonly type: 'lease.retry'; readonly queue: QueueId | typeof ANY_QUEUE }
  /** From the registrar: the session of the attempt is over. */
  | { readonly type: 'cores.freed'; readonly attemptId: AttemptId };

/** Why a lease request has no answer. `no-responders`: nobody serves the farm now. */
export type LeaseFailure = 'timed-out' | 'no-responders' | 'failed';
