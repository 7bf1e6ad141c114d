/**
 * States: filling (`#filledTo` is a key), filled (null). Invariants: a page is complete and as new as the snapshot of
 * the turn; `#changed` has the jobs whose notices are not applied yet. Exits: none, the lists live as long as the
 * process.
 */

import {
  JobDirectory,
  type JobCounts,
  type JobFilter,
  type JobIdPage,
  type JobListQuery,
} from '../../src/core/lists/job-directory.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import type { JobActivity } from '../../src/core/history/job-activity.ts';
import type { JobChanges } from '../../src/core/ports/committed-changes.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import { jobId } from '../../src/core/ids.ts';

/** Rows that one step of filling reads, which takes a few milliseconds. */
const FILLED_AT_ONCE = 1000;
/** Number of changed jobs at which they are read even without a request for a list. */
const CHANGED_MAX = 256;

/** Committed state that can be refreshed. */
export interface CurrentState {
  readonly store: StoreReader;
  /** Drops the snapshot: the next read sees every commit made until then. */
  readonly renew: () => void;
}

/**
 * Lists of jobs from a directory in memory (docs/decisions/lists.md). A page reflects the newest committed state: the
 * directory is updated to the snapshot that later reads of the turn also use, even during a commit.
 */
export class JobLists {
  readonly #state: CurrentState;
  readonly #changes: JobChanges;
  readonly #activity: Pick<JobActivity, 'put' | 'remove'>;
  readonly #directory = new JobDirectory();
  /** Jobs that may have changed, with the last transaction that writes them. */
  readonly #changed = new Map<string, number>();
  /** Key of the last row that filling has read; null when all rows are read. */
  #filledTo: string | null = '';

  /** `activity` is also notified of every row. */
  constructor(state: CurrentState, changes: JobChanges, activity: Pick<JobActivity, 'put' | 'remove'>) {
    this.#state = state;
    this.#changes = changes;
    this.#activity = activity;
  }

  /** Returns the ids of a page of the jobs in a scope. Later reads of this turn see the same state. */
  page(query: JobListQuery, scope: OwnerScope): JobIdPage {
    return this.#current().page({ ...query, ...inScope(scope) });
  }

  /** Returns the number of matching jobs of a scope in each status. Later reads of this turn see the same state. */
  counts(filter: JobFilter, scope: OwnerScope): JobCounts {
    return this.#current().counts({ ...filter, ...inScope(scope) });
  }

  /** Like `counts`, by queue. A queue without matching jobs is absent. */
  countsByQueue(scope: OwnerScope): ReadonlyMap<string, JobCounts> {
    return this.#current().countsByQueue({ words: [], ...inScope(scope) });
  }

  /**
   * Returns the ids of the jobs in a scope that depend on a job, oldest first. Later reads of this turn see the same
   * state.
   */
  dependents(id: string, scope: OwnerScope): readonly string[] {
    return this.#current().dependents(id, scope ?? undefined);
  }

  /** Applies every commit made until now. Later reads of this turn see the same state. */
  bringUpToDate(): void {
    this.#current();
  }

  #current(): JobDirectory {
    while (this.fillNext());
    this.#settle();
    return this.#directory;
  }

  /** Reads the next part of the jobs that existed at the start; returns false when none is left. */
  fillNext(): boolean {
    if (this.#filledTo === null) return false;
    const after = this.#filledTo === '' ? {} : { after: this.#filledTo };
    let read = 0;
    // Rows written meanwhile cause a notice and are read again.
    for (const { key, value } of this.#state.store.scan('job', { ...after, limit: FILLED_AT_ONCE })) {
      this.#put(value);
      this.#filledTo = key;
      read += 1;
    }
    if (read < FILLED_AT_ONCE) this.#filledTo = null;
    return this.#filledTo !== null;
  }

  #put(job: JobRecord): void {
    this.#activity.put(job, this.#directory.has(job.id));
    this.#directory.put(job);
  }

  #remove(id: string): void {
    this.#activity.remove(id);
    this.#directory.remove(id);
  }

  /** Must be called when notices have arrived. Limits the number of jobs to be read. */
  noticesArrived(): void {
    this.#takeNotices();
    if (this.#changed.size >= CHANGED_MAX) this.#settle();
  }

  #takeNotices(): void {
    for (const { transaction, keys: changed, prefixes } of this.#changes.take()) {
      for (const key of changed) this.#note(key, transaction);
      if (prefixes.length === 0) continue;
      // A job with an unread notice may not be in any list yet.
      for (const id of [...this.#directory.ids(), ...this.#changed.keys()]) {
        if (prefixes.some((prefix) => id.startsWith(prefix))) this.#note(id, transaction);
      }
    }
  }

  /** Keeps the later of two notices, also if it arrives first: only that one may have found no room in the ring. */
  #note(id: string, transaction: number): void {
    if (transaction > (this.#changed.get(id) ?? -1)) this.#changed.set(id, transaction);
  }

  /**
   * A notice is sent before its transaction, so everything in the snapshot has been announced when it is taken. Notices
   * of transactions that were not readable before the snapshot are kept for the next update.
   */
  #settle(): void {
    const { store, renew } = this.#state;
    const lastReadable = this.#changes.lastReadable();
    renew();
    takeSnapshot(store);
    this.#takeNotices();
    for (const [id, transaction] of this.#changed) {
      const row = store.get('job', keys.job(jobId(id)));
      if (row === undefined) this.#remove(id);
      else this.#put(row);
      if (transaction <= lastReadable) this.#changed.delete(id);
    }
  }
}

const inScope = (scope: OwnerScope): Pick<JobFilter, 'ownerKey'> =>
  scope === null ? {} : { ownerKey: scope };

/** The first read of a turn takes the snapshot that later reads use. */
export function takeSnapshot(store: StoreReader): void {
  store.get('job', 'none');
}
