/**
 * Invariants: one followed task for all tails of a task; `tails` counts them. Exits: the last tail closes the followed
 * task.
 */

import { taskIdOf, type TaskAddress, type TaskId } from '../../src/core/ids.ts';
import { FollowedTask } from './followed-task.ts';
import { SharedTimer } from './shared-tick.ts';
import type { LogFollowSources } from './tail-sources.ts';

/**
 * The engine sends the response headers with the first bytes. A space before the first line is valid JSON, and tells
 * the client at once that the stream has started.
 */
const HEAD_OUT = ' ';

/** Polling interval for waits that end by time and not by a change. */
const TICK_MS = 250;

/**
 * Followers of task logs. A follower needs no thread, timer or read of its own: it sleeps until its task or the
 * task's log changes.
 */
export class TaskTails {
  readonly #sources: LogFollowSources;
  readonly #tick: SharedTimer;
  readonly #tasks = new Map<TaskId, FollowedTask>();

  constructor(sources: LogFollowSources) {
    this.#sources = sources;
    this.#tick = new SharedTimer((milliseconds) => sources.delay(milliseconds), TICK_MS);
  }

  /**
   * Yields the chunks of a task after a cursor as lines, in pieces of at most `limit` chunks, until the task has
   * ended and its log is drained, or `gone` aborts. Continues if the task is retried meanwhile. Nothing is read
   * before a piece is requested.
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
        // Must be read before the log, so that the log includes everything up to the end of the drain.
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
