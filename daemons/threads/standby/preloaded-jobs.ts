import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { StateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import type { TouchedJobs } from '../../../src/adapters/lmdb/touched-jobs.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { jobId, type FarmId } from '../../../src/core/ids.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { JobReads } from './job-reads.ts';

/** Jobs that are loaded in one turn, and the pause after it: a sixth of the time of a core at most. */
const BATCH = { jobs: 10, pauseMs: 5 } as const;
/** Time between two searches for jobs that are not loaded. A job is loaded again when it was not touched for this long. */
const SEARCH_MS = 2_000;
/** States that no message has asked for by then are not needed. */
const KEPT_MS = 60_000;

/** Loads the state of a job from the store; null if there is none. */
export type LoadJob<State> = (id: string, reader: StoreReader) => State | null;

/** One timer. Setting it again replaces what was set before. */
export interface JobTimer {
  set(run: () => void, ms: number): void;
  clear(): void;
}

class NodeTimer implements JobTimer {
  #handle: NodeJS.Timeout | null = null;

  set(run: () => void, ms: number): void {
    this.clear();
    this.#handle = setTimeout(run, ms).unref();
  }

  clear(): void {
    if (this.#handle !== null) clearTimeout(this.#handle);
  }
}

/**
 * The loaded states of active jobs of a follower, for the moment at which it takes the farms over. A state is kept as long
 * as no row that it was loaded from has changed.
 *
 * States: waiting (for the first notice of the store thread), loading (a search finds jobs, batches load them), begun
 * (`begin` was called; states are given away, and no job is loaded any more). Invariant: a kept state equals what a load
 * from the latest readable snapshot would return, as soon as all notices in the port are handled.
 */
export class PreloadedJobs<State> {
  readonly #reader: StateReader;
  readonly #ownsFarm: (farm: FarmId) => boolean;
  readonly #load: LoadJob<State>;
  readonly #port: MessagePort;
  readonly #states = new Map<string, State>();
  /** Jobs that were touched since the last search, or whose state depends on other rows. */
  readonly #touched = new Set<string>();
  readonly #uncovered = new Set<string>();
  #pending: string[] = [];
  readonly #timer: JobTimer;
  #phase: 'waiting' | 'loading' | 'begun' = 'waiting';

  /** `port` is one of `StoreThread.watchJobs`. */
  constructor(
    reader: StateReader,
    ownsFarm: (farm: FarmId) => boolean,
    load: LoadJob<State>,
    port: MessagePort,
    timer: JobTimer = new NodeTimer(),
  ) {
    this.#timer = timer;
    this.#reader = reader;
    this.#ownsFarm = ownsFarm;
    this.#load = load;
    this.#port = port;
    port.on('message', (notice: TouchedJobs) => this.#noticed(notice));
  }

  /** Number of jobs whose state is kept. */
  get size(): number {
    return this.#states.size;
  }

  /**
   * Ends the loading. Must be called when the store thread has posted its last notice, and before the owner changes
   * anything.
   */
  begin(): void {
    for (;;) {
      const received: { message: TouchedJobs } | undefined = receiveMessageOnPort(this.#port);
      if (received === undefined) break;
      this.#noticed(received.message);
    }
    this.#phase = 'begun';
    this.#timer.set(() => this.#states.clear(), KEPT_MS);
    this.#port.close();
  }

  /** Ends without a takeover. */
  end(): void {
    this.#timer.clear();
    this.#states.clear();
    this.#port.close();
  }

  /** Returns the state of a job, once; undefined if it is not kept. */
  take(id: string): State | undefined {
    const state = this.#states.get(id);
    this.#states.delete(id);
    return state;
  }

  #noticed({ jobs, isEveryJob }: TouchedJobs): void {
    if (this.#phase === 'begun') return;
    if (isEveryJob) {
      this.#states.clear();
      this.#uncovered.clear();
    }
    for (const id of jobs) {
      this.#states.delete(id);
      this.#uncovered.delete(id);
      this.#touched.add(id);
    }
    if (this.#phase === 'loading') return;
    this.#phase = 'loading';
    this.#search();
  }

  #search(): void {
    this.#reader.refresh();
    this.#pending = [...this.#missingJobs()];
    this.#touched.clear();
    this.#next();
  }

  *#missingJobs(): Generator<string> {
    for (const { value: farm } of this.#reader.scan('farm')) {
      if (!this.#ownsFarm(farm.id)) continue;
      const prefix = keys.activeJobsOf(farm.id);
      for (const { key } of this.#reader.scan('activeJob', { prefix })) {
        const id = jobId(key.slice(prefix.length));
        if (!this.#states.has(id) && !this.#touched.has(id) && !this.#uncovered.has(id)) yield id;
      }
    }
  }

  #next(): void {
    if (this.#pending.length === 0) this.#timer.set(() => this.#search(), SEARCH_MS);
    else {
      this.#loadBatch(this.#pending.splice(-BATCH.jobs));
      this.#timer.set(() => this.#next(), BATCH.pauseMs);
    }
  }

  /** Notices that are handled before are of earlier transactions, so the new snapshot contains these. */
  #loadBatch(ids: readonly string[]): void {
    this.#reader.refresh();
    for (const id of ids) {
      const reads = new JobReads(this.#reader, id);
      const state = this.#load(id, reads);
      if (!reads.isCovered) this.#uncovered.add(id);
      else if (state !== null) this.#states.set(id, state);
    }
  }
}
