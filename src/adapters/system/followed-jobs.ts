import type { JobId } from '../../core/ids.ts';

/**
 * Jobs share a counter if the ends of their ids are equal; then events of all of them are published while one is
 * followed.
 */
const COUNTERS = 65_536;
/** Number of characters at the end of an id that select its counter; they are random (RFC 9562). */
const ENDING_LENGTH = 6;
const HASH_FACTOR = 31;

/**
 * Memory for the followed jobs: created by the main thread, shared with every shard. Number of followers by counter.
 */
export type FollowedMemory = Int32Array<SharedArrayBuffer>;

export const followedMemory = (): FollowedMemory =>
  new Int32Array(new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT));

/**
 * The jobs whose tasks are followed by clients. If a job is not followed when its commit is on disk, its shard may skip
 * the events: a client that begins to follow afterwards reads the changes, after waiting until everything on disk is
 * readable.
 */
export class FollowedJobs {
  readonly #memory: FollowedMemory;
  /** The latest job: most calls ask for the same one. */
  #lastJob: JobId | null = null;
  #lastCounter = 0;

  constructor(memory: FollowedMemory) {
    this.#memory = memory;
  }

  /** Starts following the job. Returns the function that ends it; only its first call counts. */
  follow(job: JobId): () => void {
    const counter = counterOf(job);
    let isOver = false;
    Atomics.add(this.#memory, counter, 1);
    return () => {
      if (isOver) return;
      isOver = true;
      Atomics.sub(this.#memory, counter, 1);
    };
  }

  /** Starts following all jobs for good: clients of other nodes of a cluster may follow any. */
  followAll(): void {
    for (let counter = 0; counter < this.#memory.length; counter++) Atomics.add(this.#memory, counter, 1);
  }

  /** Returns false if the job certainly has no followers. */
  mayBeFollowed(job: JobId): boolean {
    if (job !== this.#lastJob) {
      this.#lastJob = job;
      this.#lastCounter = counterOf(job);
    }
    return Atomics.load(this.#memory, this.#lastCounter) > 0;
  }
}

function counterOf(job: JobId): number {
  let hash = 0;
  for (let at = Math.max(0, job.length - ENDING_LENGTH); at < job.length; at++) {
    hash = (Math.imul(hash, HASH_FACTOR) + job.charCodeAt(at)) >>> 0;
  }
  return hash % COUNTERS;
}
