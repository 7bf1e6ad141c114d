/**
 * Invariants: each known object has one slot per minute, 0 while it had no load; at most `OBJECTS_MAX` objects.
 * Exits: a new minute overwrites the oldest; an object without a sample in the kept minutes is dropped.
 */

import { detachString } from '../lists/detach-string.ts';

/** Three hours. */
export const LOAD_SAMPLES_MAX = 180;
/** An object takes about 400 bytes: 8 MB for all. */
const OBJECTS_MAX = 20_000;
/** Loads are stored plus one: 0 means that there is none. */
const LOAD_MAX = 0xfffe;

export interface LoadPoint {
  /** The end of the minute, in milliseconds since the epoch. */
  readonly at: number;
  /** Null when the object had none: a worker that was not online. */
  readonly load: number | null;
}

/** Load of workers (booked cores) or of usage pools (claimed slots) in the last minutes, by id. */
export class LoadSamples {
  readonly #times: number[] = [];
  readonly #byId = new Map<string, Uint16Array>();
  #pushed = 0;

  /**
   * Adds the load of each object that has one, at the end of a minute. Drops objects without a sample in the kept
   * minutes.
   */
  push(at: number, loads: ReadonlyMap<string, number>): void {
    const slot = this.#pushed % LOAD_SAMPLES_MAX;
    this.#times[slot] = at;
    this.#pushed += 1;
    for (const [id, kept] of this.#byId) {
      kept[slot] = 0;
      if (!loads.has(id) && kept.every((each) => each === 0)) this.#byId.delete(id);
    }
    for (const [id, load] of loads) {
      const own = this.#byId.get(id) ?? this.#added(id);
      if (own !== null) own[slot] = 1 + Math.min(load, LOAD_MAX);
    }
  }

  /** Returns the points of an object since a time, the oldest first. All are null for an unknown object. */
  since(id: string, from: number): readonly LoadPoint[] {
    const kept = this.#byId.get(id);
    const first = Math.max(0, this.#pushed - LOAD_SAMPLES_MAX);
    const points: LoadPoint[] = [];
    for (let nth = first; nth < this.#pushed; nth += 1) {
      const at = this.#times[nth % LOAD_SAMPLES_MAX] ?? 0;
      if (at <= from) continue;
      const held = kept?.[nth % LOAD_SAMPLES_MAX] ?? 0;
      points.push({ at, load: held === 0 ? null : held - 1 });
    }
    return points;
  }

  #added(id: string): Uint16Array | null {
    if (this.#byId.size >= OBJECTS_MAX) return null;
    const kept = new Uint16Array(LOAD_SAMPLES_MAX);
    this.#byId.set(detachString(id), kept);
    return kept;
  }
}
