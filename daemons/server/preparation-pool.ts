import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Preparation } from '../../http/ports.ts';
import type { PoolTask, PreparationResult, PreparationTask } from '../threads/pool-task.ts';
import { entryUrl, poolThreadName } from '../threads/entry-url.ts';
import { TemplateQueue, type Taken } from './template-queue.ts';

/** Maximum number of submissions that wait for a thread, and those of one client. Further ones are refused. */
const WAITING_MAX = 1_024;
const WAITING_PER_CLIENT_MAX = 256;

const NS_PER_MS = 1_000_000;

/** Maximum time that a submission waits for a thread. */
const WAIT_MS = 30_000;

interface PreparationPoolOptions {
  readonly threads: number;
  /** Time limit of a template, from the start of its evaluation (`openjd.expr_submission_deadline`). */
  readonly deadlineMs: number;
  /** Maximum time that a template waits for a thread. */
  readonly waitMs?: number;
  /** Idle threads wait without blocking, so that they can answer requests for profiles. */
  readonly isAnswering: boolean;
}

interface Waiting {
  readonly task: PreparationTask;
  readonly resolve: (preparation: Preparation | Promise<Preparation>) => void;
  readonly expiry: NodeJS.Timeout;
}

/**
 * Pool of threads for pure computation, shared fairly among clients. A task that exceeds its deadline is aborted with its
 * thread. That is safe, because pool threads hold no native state (D5 and D6 of docs/dependency-hazards.md).
 */
export class PreparationPool {
  private readonly pool: Piscina<PoolTask, PreparationResult>;
  private readonly queue: TemplateQueue<Waiting>;
  private readonly deadlineMs: number;
  private readonly waitMs: number;

  constructor({ threads, deadlineMs, waitMs = WAIT_MS, isAnswering }: PreparationPoolOptions) {
    this.deadlineMs = deadlineMs;
    this.waitMs = waitMs;
    this.queue = new TemplateQueue({
      threads,
      waiting: WAITING_MAX,
      waitingPerClient: WAITING_PER_CLIENT_MAX,
    });
    this.pool = new Piscina({
      filename: fileURLToPath(entryUrl('pool-thread')),
      minThreads: 1,
      maxThreads: threads,
      atomics: isAnswering ? 'disabled' : 'sync',
    });
  }

  /** Parses, checks and expands a template. The results `deadline` and `busy` do not depend on whether it is valid. */
  prepare(client: string, task: PreparationTask): Promise<Preparation> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        task,
        resolve,
        expiry: setTimeout(() => {
          if (this.queue.withdraw(client, waiting)) resolve({ ok: false, busy: 'service' });
        }, this.waitMs),
      };
      waiting.expiry.unref();
      const entry = this.queue.add(client, waiting);
      if (entry === 'waiting') {
        this.runNext();
        return;
      }
      clearTimeout(waiting.expiry);
      resolve({ ok: false, busy: entry });
    });
  }

  /** Returns the names of the current threads. */
  threads(): readonly string[] {
    return this.pool.threads.map((thread) => poolThreadName(thread.threadId));
  }

  stop(): Promise<void> {
    return this.pool.close();
  }

  private runNext(): void {
    for (let taken = this.queue.take(); taken !== null; taken = this.queue.take()) {
      const { task, resolve, expiry } = taken.item;
      clearTimeout(expiry);
      resolve(this.evaluate(task, taken));
    }
  }

  private async evaluate(task: PreparationTask, { finished }: Taken<Waiting>): Promise<Preparation> {
    const startedAt = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
    const deadline = new AbortController();
    const expire = (): void => {
      const leftMs = this.deadlineMs - elapsedMs(startedAt);
      if (leftMs <= 0) deadline.abort();
      else timer = setTimeout(expire, leftMs);
    };
    let timer = setTimeout(expire, this.deadlineMs);
    try {
      return await this.pool.run({ ...task, startedAt }, { signal: deadline.signal });
    } catch (error) {
      if (deadline.signal.aborted) return { ok: false, deadline: true };
      throw error;
    } finally {
      clearTimeout(timer);
      finished(elapsedMs(startedAt));
      this.runNext();
    }
  }
}

/** Returns the time since the thread began with the task; 0 before. A new thread needs most of a second until then. */
function elapsedMs(startedAt: BigInt64Array): number {
  const began = Atomics.load(startedAt, 0);
  return began === 0n ? 0 : Number(process.hrtime.bigint() - began) / NS_PER_MS;
}
