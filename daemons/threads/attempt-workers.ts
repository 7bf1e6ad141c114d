import {
  attemptIdOf,
  parseTaskId,
  type AttemptAddress,
  type AttemptId,
  type TaskId,
  type WorkerId,
} from '../../src/core/ids.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { latestAttemptOf, workerOfAttempt } from '../../src/core/records/attempt-worker.ts';

/** Maximum number of cached attempts. The cache saves several store reads per log chunk. */
const REMEMBERED_ATTEMPTS_MAX = 10_000;

/**
 * Knows which worker has or had an attempt, which never changes. A worker may get its assignment a moment before the attempt
 * is readable.
 */
export class AttemptWorkers {
  private readonly reader: Pick<StateReader, 'get' | 'refresh'>;
  private readonly known = new Map<AttemptId, WorkerId>();

  constructor(reader: Pick<StateReader, 'get' | 'refresh'>) {
    this.reader = reader;
  }

  /** Returns the worker of an attempt; null if there is no such attempt. */
  workerOf(attempt: AttemptAddress): WorkerId | null {
    return this.lookUp()(attempt);
  }

  /**
   * Returns `workerOf` for messages that are processed together: all of them see the same state, for which the reader is
   * refreshed once.
   */
  lookUp(): (attempt: AttemptAddress) => WorkerId | null {
    const missing = new Set<AttemptId>();
    let isRefreshed = false;
    return (attempt) => {
      const id = attemptIdOf(attempt);
      const known = this.known.get(id);
      if (known !== undefined) return known;
      if (missing.has(id)) return null;
      if (!isRefreshed) this.reader.refresh();
      isRefreshed = true;
      const worker = workerOfAttempt(this.reader, attempt);
      if (worker === null) {
        missing.add(id);
        return null;
      }
      if (this.known.size >= REMEMBERED_ATTEMPTS_MAX) this.known.clear();
      this.known.set(id, worker);
      return worker;
    };
  }

  /** Returns the worker of the latest attempt of a task; null if there is no attempt. */
  latestWorkerOf(task: TaskId): WorkerId | null {
    const address = parseTaskId(task);
    if (address === null) return null;
    this.reader.refresh();
    const attemptNumber = latestAttemptOf(this.reader, address);
    return attemptNumber === null ? null : this.workerOf({ ...address, attemptNumber });
  }
}
