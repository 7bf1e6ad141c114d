import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Preparation } from '../../http/ports.ts';
import type { PreparationResult, PreparationTask } from '../threads/pool-task.ts';
import { poolThreadName, threadEntry } from '../threads/thread-entry.ts';

/** Maximum number of submissions that wait for a thread. Further ones are refused. */
const WAITING_MAX = 1024;

interface PreparationPoolOptions {
  readonly threads: number;
  /** Time limit of a template, including its wait for a thread (`openjd.expr_submission_deadline`). */
  readonly deadlineMs: number;
  /** Idle threads wait without blocking, so that they can answer requests for profiles. */
  readonly isAnswering: boolean;
}

/**
 * Pool of threads for pure computation. A task that exceeds its deadline is aborted with its thread. That is safe,
 * because pool threads hold no native state (D5 and D6 of docs/dependency-hazards.md).
 */
export class PreparationPool {
  private readonly pool: Piscina<PreparationTask, PreparationResult>;
  private readonly deadlineMs: number;

  constructor({ threads, deadlineMs, isAnswering }: PreparationPoolOptions) {
    this.deadlineMs = deadlineMs;
    this.pool = new Piscina({
      filename: fileURLToPath(threadEntry('pool-thread')),
      minThreads: 1,
      maxThreads: threads,
      maxQueue: WAITING_MAX,
      atomics: isAnswering ? 'disabled' : 'sync',
    });
  }

  /** Parses, checks and expands a template. The results `deadline` and `busy` do not depend on whether it is valid. */
  async prepare(task: PreparationTask): Promise<Preparation> {
    if (this.pool.queueSize >= WAITING_MAX) return { ok: false, busy: true };
    const signal = AbortSignal.timeout(this.deadlineMs);
    try {
      return await this.pool.run(task, { signal });
    } catch (error) {
      if (signal.aborted) return { ok: false, deadline: true };
      throw error;
    }
  }

  /** Returns the names of the current threads. */
  threads(): readonly string[] {
    return this.pool.threads.map((thread) => poolThreadName(thread.threadId));
  }

  stop(): Promise<void> {
    return this.pool.close();
  }
}
