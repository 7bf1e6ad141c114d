import type { AttemptId, WorkerId } from '../ids.ts';
import type { StatusMessage } from '../wire/bus-messages.ts';

/**
 * Entries of the journal on a worker's own disk (docs/architecture.md#the-bus): its id, and reports until the service
 * has confirmed them.
 */
export type JournalChange =
  /** The end of an attempt, to be reported until the service has confirmed that the attempt is closed. */
  | { readonly op: 'report-kept'; readonly report: StatusMessage }
  | { readonly op: 'report-confirmed'; readonly attemptId: AttemptId }
  /** The service has assigned another id to this worker. */
  | { readonly op: 'worker-identified'; readonly workerId: WorkerId };

/** Content of the journal. */
export interface JournalReader {
  readonly workerId: WorkerId;
  /** Unconfirmed reports, oldest first. */
  readonly reports: readonly StatusMessage[];
}
