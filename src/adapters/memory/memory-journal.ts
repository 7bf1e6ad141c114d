import type { JournalChange } from '../../core/ports/agent-journal.ts';
import { UnconfirmedReports } from '../../core/records/unconfirmed-reports.ts';

/** Journal of a simulated worker, which keeps nothing after its end. */
export class MemoryJournal extends UnconfirmedReports {
  /** Applies the changes, and calls back after the caller's turn, as a disk would. */
  append(changes: readonly JournalChange[], onDurable: () => void): void {
    this.apply(changes);
    setImmediate(onDurable);
  }
}
