import type { AttemptId, QueueId } from '../../../src/core/ids.ts';
import type { LeaseRequest, ReportedStatus, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';

/**
 * Messages of the outbox, which keeps reports until the bus has stored them, and terminal reports until the service has
 * confirmed that the attempt is closed.
 */
export type OutboxMessage =
  /** From the registrar at the start: publishes the reports that an earlier agent left. */
  | { readonly type: 'outbox.activate' }
  /** From a session: the task's first process has started. */
  | { readonly type: 'report.running'; readonly report: StatusMessage }
  /** From a session: new progress of the task. Replaces earlier progress. */
  | { readonly type: 'report.progress'; readonly report: StatusMessage }
  /** From a session: the terminal report of an attempt. */
  | { readonly type: 'report.persist'; readonly report: StatusMessage }
  /** From a session that ends without a report. */
  | { readonly type: 'report.discard'; readonly attemptId: AttemptId }
  /**
   * From the poller: whether lease requests may be sent. While they may not, terminal reports go to the status stream
   * at once.
   */
  | { readonly type: 'piggyback.enabled'; readonly isEnabled: boolean }
  /** From the poller: send this request, with the waiting terminal reports. */
  | {
      readonly type: 'lease-request.sending';
      readonly requestId: string;
      readonly queue: QueueId | typeof ANY_QUEUE;
      readonly request: LeaseRequest;
      readonly timeoutMs: number;
    }
  /** From the poller: no request will be sent soon. */
  | { readonly type: 'piggyback.unavailable' }
  /** From the poller: a request has ended. `confirmed`: attempts that the service has closed. */
  | {
      readonly type: 'lease-request.ended';
      readonly requestId: string;
      readonly confirmed: readonly AttemptId[];
    }
  /** From the registrar: the service has closed these attempts. */
  | { readonly type: 'report.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus, for the effect `report`. */
  | { readonly type: 'report.stored'; readonly attemptId: AttemptId; readonly status: ReportedStatus }
  | {
      readonly type: 'report.publish-failed';
      readonly attemptId: AttemptId;
      readonly status: ReportedStatus;
      readonly reason: string;
    }
  /** Own timer: publish the attempt's report, for the first time or again. */
  | { readonly type: 'report.due'; readonly attemptId: AttemptId }
  /** Own timer: progress of the attempt may be published again. */
  | { readonly type: 'progress.due'; readonly attemptId: AttemptId };
