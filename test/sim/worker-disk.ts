import type { TaskId } from '../../src/core/ids.ts';
import type { JournalChange } from '../../src/core/ports/agent-journal.ts';
import { UnconfirmedReports } from '../../src/core/records/unconfirmed-reports.ts';

interface Append {
  readonly changes: readonly JournalChange[];
  readonly onDurable: () => void;
}

/** The disk of a worker's daemon: outlives the daemon and the machine's reboot, but for what was not flushed. */
export class WorkerDisk extends UnconfirmedReports {
  private readonly waiting: Append[] = [];

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
    this.apply(append.changes);
    return append.onDurable;
  }

  /** The daemon has exited: everything that was not on disk is lost. */
  crash(): void {
    this.waiting.length = 0;
  }
}
