/**
 * States of the task: unknown (`#ending` is undefined), not ended (null), ended, deleted; of a drain: running, done,
 * failed. Invariants: pieces are dropped at each change; each end of the task has one drain. Exits: `close`, after the
 * last follower has left.
 */

import { taskIdOf, type TaskAddress, type TaskId } from '../../src/core/ids.ts';
import { isTerminalTask } from '../../src/core/lifecycle/task-transitions.ts';
import { keys } from '../../src/core/records/tables.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import { logChunkView } from '../views/log-chunk-view.ts';
import { readTask } from '../routes/find-task.ts';
import { drain, type TaskEnd } from './drain.ts';
import type { SharedTimer } from './shared-tick.ts';
import type { LogFollowSources } from './tail-sources.ts';

/** Size of a piece in characters, which limits the memory for a client that does not read. */
const PIECE_CHARACTERS = 64 * 1024;
/** Pieces kept for other followers of the task. */
const PIECES_KEPT = 4;

/** Chunks as lines, and the cursor after them. */
export interface LogPiece {
  readonly text: string;
  readonly busSeq: number;
}

type Ending = TaskEnd | 'deleted';

/** Drain after one end of the task. A retried task can end again. */
interface Drain {
  readonly end: TaskEnd;
  outcome: 'running' | 'done' | { readonly failure: unknown };
}

/**
 * A task with one or several followers, which share its pieces and one watch. All pieces are dropped when the task or
 * its log changes; nothing is read without a request.
 */
export class FollowedTask {
  /** Number of followers. */
  tails = 0;
  readonly taskId: TaskId;
  readonly #address: TaskAddress;
  readonly #sources: LogFollowSources;
  readonly #tick: SharedTimer;
  readonly #unwatch: () => void;
  readonly #waiting = new Set<() => void>();
  readonly #pieces = new Map<string, LogPiece | null>();
  #ending: Ending | null | undefined;
  #drain: Drain | null = null;
  #changedAt = 0;

  constructor(address: TaskAddress, sources: LogFollowSources, tick: SharedTimer) {
    this.taskId = taskIdOf(address);
    this.#address = address;
    this.#sources = sources;
    this.#tick = tick;
    this.#unwatch = sources.events.watch(address, () => {
      this.#changedAt = sources.steadyNow();
      this.#wake();
    });
  }

  /** Stops the watch after the last follower has left. */
  close(): void {
    this.#unwatch();
    this.#wake();
  }

  /** Returns the chunks after a cursor, up to the size of a piece and at most `limit`; null if there are none. */
  pieceAfter(busSeq: number, limit: number): LogPiece | null {
    const key = `${busSeq}/${limit}`;
    const known = this.#pieces.get(key);
    if (known !== undefined) return known;
    const chunks = this.#sources.logs.page(this.#address, busSeq, limit, PIECE_CHARACTERS);
    const last = chunks.at(-1);
    const piece =
      last === undefined
        ? null
        : {
            text: chunks.map((chunk) => `${JSON.stringify(logChunkView(chunk))}\n`).join(''),
            busSeq: last.busSeq,
          };
    const [oldest] = this.#pieces.keys();
    if (oldest !== undefined && this.#pieces.size >= PIECES_KEPT) this.#pieces.delete(oldest);
    this.#pieces.set(key, piece);
    return piece;
  }

  /**
   * Reports whether the task has ended and its log is drained. Starts the drain after the end; its completion counts
   * as a change. Throws the error of the drain.
   */
  isDrained(): boolean {
    const ending = this.#endingNow();
    if (ending === 'deleted') return true;
    if (ending === null) return false;
    if (this.#drain?.end.at !== ending.at) {
      this.#drain = { end: ending, outcome: 'running' };
      void this.#run(this.#drain);
    }
    const { outcome } = this.#drain;
    if (typeof outcome === 'object') throw outcome.failure;
    return outcome === 'done';
  }

  /** Reports whether the task has not ended. */
  goesOn(): boolean {
    return this.#endingNow() === null;
  }

  /** Resolves at the next change, or when the signal aborts. */
  changed(gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#waiting.delete(go);
        gone.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      gone.addEventListener('abort', go);
      if (gone.aborted) go();
    });
  }

  /** Returns the end of the task; null while it has not ended. */
  #endingNow(): Ending | null {
    if (this.#ending !== undefined) return this.#ending;
    const { state } = this.#sources;
    state.renew();
    const task = readTask(state.store, this.taskId);
    if (task === null) {
      this.#ending = 'deleted';
      return this.#ending;
    }
    const page = state.store.get('taskPage', keys.taskPageOf(task.address));
    const { status, updatedAt } = taskStateOf(task.step, page, task.address.index);
    this.#ending = isTerminalTask(status) ? { status, at: updatedAt } : null;
    return this.#ending;
  }

  async #run(running: Drain): Promise<void> {
    const { end } = running;
    const isWanted = (): boolean => {
      if (this.tails === 0) return false;
      const ending = this.#endingNow();
      return ending !== null && ending !== 'deleted' && ending.at === end.at;
    };
    const task = {
      address: this.#address,
      taskId: this.taskId,
      end,
      isWanted,
      takenInAt: () => this.#changedAt,
      changed: () => this.#changedOrTick(),
    };
    try {
      await drain(task, this.#sources, this.#tick);
      running.outcome = 'done';
    } catch (failure) {
      running.outcome = { failure };
    }
    this.#wake();
  }

  async #changedOrTick(): Promise<void> {
    const ticked = new AbortController();
    void this.#tick.next().then(() => ticked.abort());
    await this.changed(ticked.signal);
  }

  #wake(): void {
    this.#pieces.clear();
    this.#ending = undefined;
    for (const go of [...this.#waiting]) go();
  }
}
