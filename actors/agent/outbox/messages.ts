import type { AttemptId } from '../../../src/core/ids.ts';
import type { ReportedStatus, StatusMessage } from '../../../src/core/wire/bus-messages.ts';

/** The outbox: reports until the bus has them, terminal ones until the service has confirmed that the attempt is closed. */
export type OutboxMessage =
  /** From the registrar: the daemon has started; what an earlier one has left is said again. */
  | { readonly type: 'outbox.wake' }
  /** From a session: the task's first process has started. */
  | { readonly type: 'report.running'; readonly report: StatusMessage }
  /** From a session: what the task says of how far it is, in place of what it said before. */
  | { readonly type: 'report.progress'; readonly report: StatusMessage }
  /** From a session: the end of an attempt. */
  | { readonly type: 'report.keep'; readonly report: StatusMessage }
  /** From a session that ends without a report. */
  | { readonly type: 'report.void'; readonly attemptId: AttemptId }
  /** From the registrar: the service has closed these attempts. */
  | { readonly type: 'report.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus. */
  | { readonly type: 'report.stored'; readonly attemptId: AttemptId; readonly status: ReportedStatus }
  | {
      readonly type: 'report.unstored';
      readonly attemptId: AttemptId;
      readonly status: ReportedStatus;
      readonly reason: string;
    }
  /** Own timer: the attempt's report is said again. */
  | { readonly type: 'report.due'; readonly attemptId: AttemptId }
  /** Own timer: progress of the attempt may be told again. */
  | { readonly type: 'progress.due'; readonly attemptId: AttemptId };
