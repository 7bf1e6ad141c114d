import type { AttemptId, TaskId, WorkerId } from '../../src/core/ids.ts';
import type { JournalChange, JournalReader } from '../../src/core/ports/agent-journal.ts';
import type { StatusMessage } from '../../src/core/wire/bus-messages.ts';

interface Append {
  readonly changes: readonly JournalChange[];
  readonly onDurable: () => void;
}

/** The disk of a worker's daemon: outlives the daemon and the machine's reboot, but for what was not flushed. */
export class WorkerDisk implements JournalReader {
  private identity: WorkerId;
  private readonly kept = new Map<AttemptId, StatusMessage>();
  private readonly waiting: Append[] = [];

  constructor(workerId: WorkerId) {
    this.identity = workerId;
  }

  get workerId(): WorkerId {
    return this.identity;
  }

  get reports(): readonly StatusMessage[] {
    return [...this.kept.values()];
  }

  /** Whether it is on the disk, and not confirmed, that the task has succeeded. */
  holdsSuccessOf(taskId: TaskId): boolean {
    return this.reports.some(({ task_id: id, status }) => id === taskId && status === 'succeeded');
  }

  append(changes: readonly JournalChange[], onDurable: () => void): void {
    this.waiting.push({ changes, onDurable });
  }

  /** The oldest append is on the disk now. Gives who wants to know; null when nothing waits. */
  flushNext(): (() => void) | null {
    const append = this.waiting.shift();
    if (append === undefined) return null;
    for (const change of append.changes) this.apply(change);
    return append.onDurable;
  }

  /** The daemon is gone: what was not on the disk is lost. */
  crash(): void {
    this.waiting.length = 0;
  }

  private apply(change: JournalChange): void {
    switch (change.op) {
      case 'report-kept':
        this.kept.set(change.report.attempt_id, change.report);
        return;
      case 'report-confirmed':
        this.kept.delete(change.attemptId);
        return;
      case 'worker-identified':
        this.identity = change.workerId;
    }
  }
}
