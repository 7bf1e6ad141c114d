import type { TaskId } from '../../src/core/ids.ts';
import type { CancelMessage } from '../../src/core/wire/bus-messages.ts';
import { STREAMS } from '../../src/core/wire/subjects.ts';

/** The last cancel of each task for as long as the bus keeps it. A client that reconnects reads it. */
export class CancelStream {
  private readonly last = new Map<TaskId, { readonly message: CancelMessage; readonly at: number }>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  store(message: CancelMessage): void {
    this.last.set(message.task_id, { message, at: this.now() });
  }

  lastOf(taskId: TaskId): CancelMessage | null {
    const kept = this.last.get(taskId);
    return kept === undefined || this.now() - kept.at > STREAMS.cancel.retentionMs ? null : kept.message;
  }
}
