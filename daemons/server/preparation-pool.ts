import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Unevaluated } from '../../http/ports.ts';
import type {
  DefinitionTask,
  DefinitionTaskResult,
  DescriptionResult,
  DescriptionTask,
  EnvironmentsTask,
  PoolTask,
  PreparationResult,
  PreparationTask,
  Started,
} from '../threads/pool-task.ts';
import type { QueueEnvironmentsResult } from '../threads/environment-task.ts';
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

interface RunOptions {
  readonly signal: AbortSignal;
}

/** The thread pool, which returns the result of the task that it is given: the thread selects by `kind`. */
interface Threads {
  run(task: PreparationTask & Started, options: RunOptions): Promise<PreparationResult>;
  run(task: DescriptionTask & Started, options: RunOptions): Promise<DescriptionResult>;
  run(task: DefinitionTask & Started, options: RunOptions): Promise<DefinitionTaskResult>;
  run(task: EnvironmentsTask & Started, options: RunOptions): Promise<QueueEnvironmentsResult>;
  readonly threads: readonly { readonly threadId: number }[];
  close(): Promise<void>;
}

interface Waiting {
  /** Starts it, and settles its promise when it ends. */
  readonly start: (taken: Taken<Waiting>) => void;
  readonly expiry: NodeJS.Timeout;
}

/**
 * Pool of threads for pure computation, shared fairly among clients. A task that exceeds its deadline is aborted with its
 * thread. That is safe, because pool threads hold no native state (D5 and D6 of docs/dependency-hazards.md).
 */
export class PreparationPool {
  private readonly pool: Threads;
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
    this.pool = new Piscina<PoolTask>({
      filename: fileURLToPath(entryUrl('pool-thread')),
      minThreads: 1,
      maxThreads: threads,
      atomics: isAnswering ? 'disabled' : 'sync',
    });
  }

  /** Parses, checks and expands a template. An `Unevaluated` result does not depend on whether it is valid. */
  prepare(client: string, task: PreparationTask): Promise<PreparationResult | Unevaluated> {
    return this.inTurn(client, (started, options) => this.pool.run({ ...task, ...started }, options));
  }

  /** Checks and describes a template. */
  describe(client: string, task: DescriptionTask): Promise<DescriptionResult | Unevaluated> {
    return this.inTurn(client, (started, options) => this.pool.run({ ...task, ...started }, options));
  }

  /** Reads a definition file of a product, and checks and describes its template. */
  define(client: string, task: DefinitionTask): Promise<DefinitionTaskResult | Unevaluated> {
    return this.inTurn(client, (started, options) => this.pool.run({ ...task, ...started }, options));
  }

  /** Checks and describes the environment templates of a queue. */
  describeEnvironments(
    client: string,
    task: EnvironmentsTask,
  ): Promise<QueueEnvironmentsResult | Unevaluated> {
    return this.inTurn(client, (started, options) => this.pool.run({ ...task, ...started }, options));
  }

  /** Returns the names of the current threads. */
  threads(): readonly string[] {
    return this.pool.threads.map((thread) => poolThreadName(thread.threadId));
  }

  stop(): Promise<void> {
    return this.pool.close();
  }

  /** Runs a task when it is the turn of its client. */
  private inTurn<Result>(
    client: string,
    run: (started: Started, options: RunOptions) => Promise<Result>,
  ): Promise<Result | Unevaluated> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        start: (taken) => {
          clearTimeout(waiting.expiry);
          resolve(this.evaluate(run, taken));
        },
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

  private runNext(): void {
    for (let taken = this.queue.take(); taken !== null; taken = this.queue.take()) taken.item.start(taken);
  }

  private async evaluate<Result>(
    run: (started: Started, options: RunOptions) => Promise<Result>,
    { finished }: Taken<Waiting>,
  ): Promise<Result | Unevaluated> {
    const startedAt = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
    const deadline = new AbortController();
    const expire = (): void => {
      const leftMs = this.deadlineMs - elapsedMs(startedAt);
      if (leftMs <= 0) deadline.abort();
      else timer = setTimeout(expire, leftMs);
    };
    let timer = setTimeout(expire, this.deadlineMs);
    try {
      return await run({ startedAt }, { signal: deadline.signal });
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
