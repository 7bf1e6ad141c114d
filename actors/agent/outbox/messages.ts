import type { AttemptId, QueueId } from '../../../src/core/ids.ts';
import type { LeaseRequest, ReportedStatus, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';

/** The outbox: reports until the bus has them, terminal ones until the service has confirmed that the attempt is closed. */
export type OutboxMessage =
  /** From the registrar: the daemon has started; what an earlier one has left is said again. */
  | { readonly type: 'outbox.activate' }
  /** From a session: the task's first process has started. */
  | { readonly type: 'report.running'; readonly report: StatusMessage }
  /** From a session: what the task says of how far it is, in place of what it said before. */
  | { readonly type: 'report.progress'; readonly report: StatusMessage }
  /** From a session: the end of an attempt. */
  | { readonly type: 'report.persist'; readonly report: StatusMessage }
  /** From a session that ends without a report. */
  | { readonly type: 'report.discard'; readonly attemptId: AttemptId }
  /** From the poller: whether lease requests may leave. While they may not, ends go by the stream of statuses at once. */
  | { readonly type: 'piggyback.enabled'; readonly areAllowed: boolean }
  /** From the poller: the request leaves, with the ends that wait. */
  | {
      readonly type: 'lease-request.sending';
      readonly requestId: string;
      readonly queue: QueueId | typeof ANY_QUEUE;
      readonly request: LeaseRequest;
      readonly timeoutMs: number;
    }
  /** From the poller: no request will leave soon. */
  | { readonly type: 'piggyback.unavailable' }
  /** From the poller: what became of a request. `confirmed`: attempts that the service has closed. */
  | {
      readonly type: 'lease-request.ended';
      readonly requestId: string;
      readonly confirmed: readonly AttemptId[];
    }
  /** From the registrar: the service has closed these attempts. */
  | { readonly type: 'report.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus. */
  | { readonly type: 'report.stored'; readonly attemptId: AttemptId; readonly status: ReportedStatus }
  | {
      readonly type: 'report.publish-failed';
      readonly attemptId: AttemptId;
      readonly status: ReportedStatus;
      readonly reason: string;
    }
  /** Own timer: the attempt's report is said, for the first time or again. */
  | { readonly type: 'report.due'; readonly attemptId: AttemptId }
  /** Own timer: progress of the attempt may be told again. */
  | { readonly type: 'progress.due'; readonly attemptId: AttemptId };
