/**
 * Invariants: each known worker has one slot per minute, 0 while it was not online; at most `WORKERS_MAX` workers.
 * Exits: a new minute overwrites the oldest; a worker without a sample in the kept minutes is dropped.
 */

import { detachString } from '../lists/detach-string.ts';

/** Three hours. */
export const WORKER_SAMPLES_MAX = 180;
/** A worker takes about 400 bytes: 8 MB for all. */
const WORKERS_MAX = 20_000;
/** Cores are stored plus one: 0 means that the worker was not online. */
const CORES_MAX = 0xfffe;

export interface WorkerPoint {
  /** The end of the minute, in milliseconds since the epoch. */
  readonly at: number;
  /** Null when the worker was not online. */
  readonly coresBooked: number | null;
}

/** Booked cores of each worker in the last minutes. */
export class WorkerSamples {
  readonly #times: number[] = [];
  readonly #byWorker = new Map<string, Uint16Array>();
  #pushed = 0;

  /**
   * Adds the booked cores of each online worker at the end of a minute. Drops workers without a sample in the kept
   * minutes.
   */
  push(at: number, booked: ReadonlyMap<string, number>): void {
    const slot = this.#pushed % WORKER_SAMPLES_MAX;
    this.#times[slot] = at;
    this.#pushed += 1;
    for (const [id, cores] of this.#byWorker) {
      cores[slot] = 0;
      if (!booked.has(id) && cores.every((each) => each === 0)) this.#byWorker.delete(id);
    }
    for (const [id, cores] of booked) {
      const own = this.#byWorker.get(id) ?? this.#added(id);
      if (own !== null) own[slot] = 1 + Math.min(cores, CORES_MAX);
    }
  }

  /** Returns the points of a worker since a time, the oldest first. All are null for an unknown worker. */
  since(id: string, from: number): readonly WorkerPoint[] {
    const cores = this.#byWorker.get(id);
    const first = Math.max(0, this.#pushed - WORKER_SAMPLES_MAX);
    const points: WorkerPoint[] = [];
    for (let nth = first; nth < this.#pushed; nth += 1) {
      const at = this.#times[nth % WORKER_SAMPLES_MAX] ?? 0;
      if (at <= from) continue;
      const held = cores?.[nth % WORKER_SAMPLES_MAX] ?? 0;
      points.push({ at, coresBooked: held === 0 ? null : held - 1 });
    }
    return points;
  }

  #added(id: string): Uint16Array | null {
    if (this.#byWorker.size >= WORKERS_MAX) return null;
    const cores = new Uint16Array(WORKER_SAMPLES_MAX);
    this.#byWorker.set(detachString(id), cores);
    return cores;
  }
}
