import type { AttemptId, WorkerId } from '../../core/ids.ts';
import type { JournalChange, JournalReader } from '../../core/ports/agent-journal.ts';
import type { StatusMessage } from '../../core/wire/bus-messages.ts';

/** The journal of a worker that keeps nothing beyond its own life: a simulated one. */
export class MemoryJournal implements JournalReader {
  private readonly kept = new Map<AttemptId, StatusMessage>();
  private identity: WorkerId;

  constructor(workerId: WorkerId) {
    this.identity = workerId;
  }

  get workerId(): WorkerId {
    return this.identity;
  }

  get reports(): readonly StatusMessage[] {
    return [...this.kept.values()];
  }

  /** Takes the changes, and calls back after the turn of whoever calls, as a disk would. */
  append(changes: readonly JournalChange[], onDurable: () => void): void {
    for (const change of changes) {
      if (change.op === 'report-kept') this.kept.set(change.report.attempt_id, change.report);
      else if (change.op === 'report-confirmed') this.kept.delete(change.attemptId);
      else this.identity = change.workerId;
    }
    setImmediate(onDurable);
  }
}
