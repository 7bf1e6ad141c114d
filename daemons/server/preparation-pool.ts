import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Preparation } from '../../http/ports.ts';
import { joinPlan } from '../threads/plan-parts.ts';
import type { PreparationResult, PreparationTask } from '../threads/pool-task.ts';
import { poolThreadName, threadEntry } from '../threads/thread-entry.ts';

/** Submissions that wait for a thread; more are turned away, so that they do not pile up. */
const WAITING_MAX = 1024;

interface PreparationPoolOptions {
  readonly threads: number;
  /** How long one template may take from its submission on, its wait for a thread included (`openjd.expr_submission_deadline`). */
  readonly deadlineMs: number;
  /** A thread that is to answer while it is idle waits for its next task without blocking. */
  readonly isAnswering: boolean;
}

/**
 * The pool for what costs processor time alone. A task that outlives its deadline is aborted with its thread; pool
 * threads hold no native state, so that is safe (D5 and D6 of docs/dependency-hazards.md).
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

  /** What a template comes to; `deadline` and `busy` say nothing about the template. */
  async prepare(task: PreparationTask): Promise<Preparation> {
    if (this.pool.queueSize >= WAITING_MAX) return { ok: false, busy: true };
    const signal = AbortSignal.timeout(this.deadlineMs);
    try {
      return prepared(await this.pool.run(task, { signal }));
    } catch (error) {
      if (signal.aborted) return { ok: false, deadline: true };
      throw error;
    }
  }

  /** The names of its threads now. */
  threads(): readonly string[] {
    return this.pool.threads.map((thread) => poolThreadName(thread.threadId));
  }

  stop(): Promise<void> {
    return this.pool.close();
  }
}

/** What a pool thread has told; of a large job with the plan that its parts are. */
function prepared(result: PreparationResult): Preparation {
  if (!result.ok) return result;
  const { content, ...job } = result.job;
  const { previews } = result;
  if ('plan' in content) return { ok: true, job: { ...job, plan: content.plan }, previews };
  const { large } = content;
  return { ok: true, job: { ...job, plan: joinPlan(large.plan), large }, previews };
}
