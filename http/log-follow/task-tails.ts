import { taskIdOf, type TaskAddress, type TaskId } from '../../src/core/ids.ts';
import { FollowedTask } from './followed-task.ts';
import { SharedTimer } from './shared-tick.ts';
import type { TailSources } from './tail-sources.ts';

/**
 * The engine sends the head of an answer with its first bytes. A space in front of the first line is JSON, and a client knows at once
 * that its tail has begun.
 */
const HEAD_OUT = ' ';

/** How often those look who wait for a time, not for a change. */
const TICK_MS = 250;

/** Tails of task logs. A tail costs no thread, no timer and no read of its own: it sleeps until its task or the log of it has changed. */
export class TaskTails {
  readonly #sources: TailSources;
  readonly #tick: SharedTimer;
  readonly #tasks = new Map<TaskId, FollowedTask>();

  constructor(sources: TailSources) {
    this.#sources = sources;
    this.#tick = new SharedTimer((milliseconds) => sources.delay(milliseconds), TICK_MS);
  }

  /**
   * The chunks of a task behind a cursor as lines, in pieces of at most `limit` chunks, until the task has ended and its log is drained, or
   * `gone` aborts. A task that is tried again meanwhile is followed on. Nothing is read before a piece is asked for.
   */
  async *follow(
    address: TaskAddress,
    afterBusSeq: number,
    limit: number,
    gone: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    const task = this.#enter(address);
    try {
      let cursor = afterBusSeq;
      let begun = false;
      while (!gone.aborted) {
        // Asked before the log is read: what came before the end of the drain is then read.
        const isDrained = task.isDrained();
        const piece = task.pieceAfter(cursor, limit);
        if (piece !== null) {
          cursor = piece.busSeq;
          begun = true;
          yield piece.text;
        } else if (isDrained) {
          return;
        } else if (!begun && task.goesOn()) {
          begun = true;
          yield HEAD_OUT;
        } else {
          await task.changed(gone);
        }
      }
    } finally {
      this.#leave(task);
    }
  }

  #enter(address: TaskAddress): FollowedTask {
    const taskId = taskIdOf(address);
    const known = this.#tasks.get(taskId);
    const task = known ?? new FollowedTask(address, this.#sources, this.#tick);
    if (known === undefined) this.#tasks.set(taskId, task);
    task.tails++;
    return task;
  }

  #leave(task: FollowedTask): void {
    task.tails--;
    if (task.tails > 0) return;
    this.#tasks.delete(task.taskId);
    task.close();
  }
}
