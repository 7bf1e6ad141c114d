import {
  JobDirectory,
  type JobCounts,
  type JobFilter,
  type JobIdPage,
  type JobListQuery,
} from '../../src/core/lists/job-directory.ts';
import type { JobActivity } from '../../src/core/history/job-activity.ts';
import type { JobChanges } from '../../src/core/ports/committed-changes.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import { jobId } from '../../src/core/ids.ts';

/** Rows that one step of the filling reads: a few milliseconds. */
const FILLED_AT_ONCE = 1000;
/** Changed jobs that are read again as soon as so many have come together, whether or not anybody asks for a list. */
const CHANGED_MAX = 256;

/** Committed state, of which one can have the newest. */
export interface CurrentState {
  readonly store: StoreReader;
  /** Gives up the snapshot: the next read sees every commit made until then. */
  readonly renew: () => void;
}

/**
 * Lists of jobs from a directory in memory (docs/decisions/lists.md). A page is that of the newest committed state: the
 * directory is brought to the snapshot that the rest of the turn reads from, whatever is being committed at the moment.
 */
export class JobLists {
  readonly #state: CurrentState;
  readonly #changes: JobChanges;
  readonly #activity: Pick<JobActivity, 'put' | 'remove'>;
  readonly #directory = new JobDirectory();
  /** Jobs that may have changed, with the number of the latest notice of each. */
  readonly #changed = new Map<string, number>();
  /** Key of the last row that the filling has read; null when it has read all. */
  #filledTo: string | null = '';

  /** `activity` is told of every row, too. */
  constructor(state: CurrentState, changes: JobChanges, activity: Pick<JobActivity, 'put' | 'remove'>) {
    this.#state = state;
    this.#changes = changes;
    this.#activity = activity;
  }

  /** The ids of a page. Reads of this turn that follow see the same state. */
  page(query: JobListQuery): JobIdPage {
    return this.#current().page(query);
  }

  /** How many of the jobs that are asked for have each status. Reads of this turn that follow see the same state. */
  counts(filter: JobFilter): JobCounts {
    return this.#current().counts(filter);
  }

  /** The ids of the jobs that wait or waited for a job, oldest first. Reads of this turn that follow see the same state. */
  dependents(id: string): readonly string[] {
    return this.#current().dependents(id);
  }

  /** Follows every commit made until now. Reads of this turn that come after see the same state. */
  bringUpToDate(): void {
    this.#current();
  }

  #current(): JobDirectory {
    while (this.fillNext());
    this.#settle();
    return this.#directory;
  }

  /** Reads the next part of the jobs that were there at the start; false when none is left. */
  fillNext(): boolean {
    if (this.#filledTo === null) return false;
    const after = this.#filledTo === '' ? {} : { after: this.#filledTo };
    let read = 0;
    // What is written meanwhile is told of, and read again.
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

  /** To be called when notices have arrived: keeps what waits to be read small. */
  noticesArrived(): void {
    this.#hear();
    if (this.#changed.size >= CHANGED_MAX) this.#settle();
  }

  #hear(): void {
    for (const { number, keys: changed, prefixes } of this.#changes.take()) {
      for (const key of changed) this.#note(key, number);
      if (prefixes.length === 0) continue;
      // A job that was told of and not read yet may be in no list.
      for (const id of [...this.#directory.ids(), ...this.#changed.keys()]) {
        if (prefixes.some((prefix) => id.startsWith(prefix))) this.#note(id, number);
      }
    }
  }

  /** Of two notices the later one counts, also when it is heard first: only that one may have found no room in the ring. */
  #note(id: string, number: number): void {
    if (number > (this.#changed.get(id) ?? -1)) this.#changed.set(id, number);
  }

  /**
   * A commit is told of before it is made: whatever the snapshot shows was heard of once it is taken. What was heard of
   * a commit that was not on disk before the snapshot was taken is heard again next time.
   */
  #settle(): void {
    const { store, renew } = this.#state;
    const lastApplied = this.#changes.lastAppliedNotice();
    renew();
    takeSnapshot(store);
    this.#hear();
    for (const [id, number] of this.#changed) {
      const row = store.get('job', keys.job(jobId(id)));
      if (row === undefined) this.#remove(id);
      else this.#put(row);
      if (number <= lastApplied) this.#changed.delete(id);
    }
  }
}

/** The first read of a turn takes the snapshot that the others see. */
export function takeSnapshot(store: StoreReader): void {
  store.get('job', 'none');
}
