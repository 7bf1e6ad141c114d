import type { AttemptId, WorkerId } from '../ids.ts';
import type { JournalChange, JournalReader } from '../ports/agent-journal.ts';
import type { StatusMessage } from '../wire/bus-messages.ts';

/** Content of a worker's journal: its id, and its reports until they are confirmed. Only journal changes modify it. */
export class UnconfirmedReports implements JournalReader {
  private readonly kept: Map<AttemptId, StatusMessage>;
  private identity: WorkerId;

  constructor(identity: WorkerId, kept: ReadonlyMap<AttemptId, StatusMessage> = new Map()) {
    this.identity = identity;
    this.kept = new Map(kept);
  }

  get workerId(): WorkerId {
    return this.identity;
  }

  get reports(): readonly StatusMessage[] {
    return [...this.kept.values()];
  }

  get size(): number {
    return this.kept.size;
  }

  apply(changes: readonly JournalChange[]): void {
    for (const change of changes) {
      switch (change.op) {
        case 'report-kept':
          this.kept.set(change.report.attempt_id, change.report);
          break;
        case 'report-confirmed':
          this.kept.delete(change.attemptId);
          break;
        case 'worker-identified':
          this.identity = change.workerId;
      }
    }
  }
}
