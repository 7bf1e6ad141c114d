import type { JournalChange } from '../../core/ports/agent-journal.ts';
import { UnconfirmedReports } from '../../core/records/unconfirmed-reports.ts';

/** The journal of a worker that keeps nothing beyond its own life: a simulated one. */
export class MemoryJournal extends UnconfirmedReports {
  /** Takes the changes, and calls back after the turn of whoever calls, as a disk would. */
  append(changes: readonly JournalChange[], onDurable: () => void): void {
    this.apply(changes);
    setImmediate(onDurable);
  }
}
