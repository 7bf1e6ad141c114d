import type { HttpResponse } from './message.ts';
import type { OperationId } from '../openapi/operation-id.ts';

/** How many commits can be read, and the newest of what they hold. */
export interface Commits {
  /** Another number after each commit, and before anybody is told of it. */
  count(): number;
  /** The next read of this turn sees every commit that can be read. */
  renew(): void;
  /**
   * Resolves when all that is on disk by now can be read, null when it can be already: a worker is answered a moment before (docs/decisions/journal.md), and
   * whoever hears of its answer and asks here must find it.
   */
  untilReadable(): Promise<void> | null;
}

/**
 * Operations whose answers depend on their address and on what is committed, and on nothing else: not on the clock, on what
 * workers say without a commit, or (once there are any) on who asks.
 */
const COMMITTED: ReadonlySet<string> = new Set<OperationId>([
  'getJob',
  'listJobSteps',
  'listJobTasks',
  'getJobSummary',
  'getTaskGrid',
  'getTask',
  'listTaskAttempts',
]);

/** Bytes of bodies that are kept. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
const KEPT_MAX = 2048;

/**
 * Answers to reads that no commit was made since: the same question has the same answer. Many clients look at the same few
 * jobs, and a page of tasks takes several times as long to make as to send.
 */
export class ResponseCache {
  readonly #commits: Pick<Commits, 'count' | 'renew'>;
  readonly #kept = new Map<string, HttpResponse>();
  #count = -1;
  #bytes = 0;

  constructor(commits: Pick<Commits, 'count' | 'renew'>) {
    this.#commits = commits;
  }

  /** Whether answers of an operation may be kept. */
  static mayKeep(operation: string): boolean {
    return COMMITTED.has(operation);
  }

  /** The answer to a target, that is path and query, if it holds still. */
  find(target: string): HttpResponse | undefined {
    if (this.#kept.size === 0) return undefined;
    if (this.#commits.count() !== this.#count) {
      this.#clear();
      return undefined;
    }
    return this.#kept.get(target);
  }

  /** To be called before an answer that may be kept is made. Gives what `keep` is to be told. */
  begin(): number {
    const count = this.#commits.count();
    // The snapshot of the turn may be older than the count.
    this.#commits.renew();
    return count;
  }

  /** Keeps an answer that was begun at a count of commits. */
  keep(target: string, count: number, response: HttpResponse): void {
    const { body } = response;
    if (!(body instanceof Uint8Array) || body.length > KEPT_BYTES_MAX / 8) return;
    if (count < this.#count) return;
    if (count > this.#count || this.#bytes > KEPT_BYTES_MAX || this.#kept.size >= KEPT_MAX) this.#clear();
    this.#count = count;
    this.#bytes += body.length;
    this.#kept.set(target, response);
  }

  #clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}
