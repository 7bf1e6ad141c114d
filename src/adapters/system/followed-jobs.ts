import type { JobId } from '../../core/ids.ts';

/** Jobs share a counter when the ends of their ids are the same; then events of both are said while one of them is followed. */
const COUNTERS = 65_536;
/** Characters at the end of an id that choose its counter; they are random (RFC 9562). */
const ENDING_LENGTH = 6;
const HASH_FACTOR = 31;

/** Memory for the jobs that are followed: made by the main thread, shared with every shard. By counter, how many follow. */
export type FollowedMemory = Int32Array<SharedArrayBuffer>;

export const followedMemory = (): FollowedMemory =>
  new Int32Array(new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT));

/**
 * The jobs of which somebody follows the tasks. A shard that looks here when a commit is on disk, and finds a job not followed, may leave
 * unsaid what it has committed: whoever begins to follow from then on reads it, when he waits until what is on disk by then can be read.
 */
export class FollowedJobs {
  readonly #memory: FollowedMemory;
  /** The job that was asked for last: most questions are about the same one. */
  #lastJob: JobId | null = null;
  #lastCounter = 0;

  constructor(memory: FollowedMemory) {
    this.#memory = memory;
  }

  /** Somebody follows the job from now on. Gives the function that ends it; only its first call counts. */
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

  /** False when certainly nobody follows the job. */
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
