import type { AttemptId, WorkerId } from '../ids.ts';
import type { StatusMessage } from '../wire/bus-messages.ts';

/**
 * What a worker keeps on its own disk (docs/architecture.md#the-bus): who it is, and reports until the service has
 * confirmed them.
 */
export type JournalChange =
  /** The end of an attempt, to be reported until the service has confirmed that the attempt is closed. */
  | { readonly op: 'report-kept'; readonly report: StatusMessage }
  | { readonly op: 'report-confirmed'; readonly attemptId: AttemptId }
  /** The service knows this worker by another id. */
  | { readonly op: 'worker-identified'; readonly workerId: WorkerId };

/** What is on the disk. */
export interface JournalReader {
  readonly workerId: WorkerId;
  /** Reports that wait for their confirmation, oldest first. */
  readonly reports: readonly StatusMessage[];
}
