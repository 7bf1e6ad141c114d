import type { TaskId } from '../../src/core/ids.ts';
import type { JournalChange } from '../../src/core/ports/agent-journal.ts';
import { UnconfirmedReports } from '../../src/core/records/unconfirmed-reports.ts';

interface Append {
  readonly changes: readonly JournalChange[];
  readonly onDurable: () => void;
}

/** The disk of a worker's daemon. It outlives the daemon and reboots of the machine, except for unflushed data. */
export class WorkerDisk extends UnconfirmedReports {
  private readonly waiting: Append[] = [];

  /** Reports whether an unconfirmed success of the task is on the disk. */
  holdsSuccessOf(taskId: TaskId): boolean {
    return this.reports.some(({ task_id: id, status }) => id === taskId && status === 'succeeded');
  }

  append(changes: readonly JournalChange[], onDurable: () => void): void {
    this.waiting.push({ changes, onDurable });
  }

  /** Makes the oldest append durable. Returns its callback, or null if there is none. */
  flushNext(): (() => void) | null {
    const append = this.waiting.shift();
    if (append === undefined) return null;
    this.apply(append.changes);
    return append.onDurable;
  }

  /** The daemon has exited: data that is not durable is lost. */
  crash(): void {
    this.waiting.length = 0;
  }
}
