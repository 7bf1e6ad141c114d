/**
 * Invariants: all cached responses were started at the commit count `#count`. Exits: the next commit, or too many
 * responses or bytes, clear the cache.
 */

import type { HttpResponse } from './message.ts';
import type { Operation } from '../openapi/contract.ts';
import type { OperationId } from '../openapi/operation-id.ts';

/** Number and visibility of commits. */
export interface Commits {
  /** Changes with each commit, before anyone is notified of it. */
  count(): number;
  /** Lets the next read of this turn see every readable commit. */
  renew(): void;
  /**
   * Resolves when everything on disk is readable; null if it is already. A worker gets its reply slightly earlier
   * (docs/decisions/journal.md), and a client that learns of the reply must find the change here.
   */
  untilReadable(): Promise<void> | null;
}

/**
 * Operations whose responses depend only on their address, the owner scope of the principal and committed state, unless
 * they are transient (HttpResponse). They do not depend on the clock or on uncommitted reports of workers. All of them need
 * the permission `jobs.read`, which every role has.
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

/** Maximum size of all cached bodies in bytes. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
const KEPT_MAX = 2048;

/**
 * Caches responses to reads until the next commit. Many clients read the same few jobs, and building a page of tasks
 * takes several times as long as sending it.
 */
export class ResponseCache {
  readonly #commits: Pick<Commits, 'count' | 'renew'>;
  readonly #kept = new Map<string, HttpResponse>();
  #count = -1;
  #bytes = 0;

  constructor(commits: Pick<Commits, 'count' | 'renew'>) {
    this.#commits = commits;
  }

  /** Reports whether responses of an operation can be cached. */
  static mayKeep({ id, permission }: Pick<Operation, 'id' | 'permission'>): boolean {
    return permission === 'jobs.read' && COMMITTED.has(id);
  }

  /** Returns the cached response of a target (path and query) if it is still valid. */
  find(target: string): HttpResponse | undefined {
    if (this.#kept.size === 0) return undefined;
    if (this.#commits.count() !== this.#count) {
      this.#clear();
      return undefined;
    }
    return this.#kept.get(target);
  }

  /** Must be called before a cacheable response is built. Returns the count for `keep`. */
  begin(): number {
    const count = this.#commits.count();
    // The snapshot of the turn may be older than the count.
    this.#commits.renew();
    return count;
  }

  /** Caches a response that was started at a count of commits. */
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
