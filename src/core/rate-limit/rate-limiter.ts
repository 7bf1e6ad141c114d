/**
 * States of a place: free (its bucket is full again), taken. Invariants: memory is fixed; a bucket never has more than
 * `burst` tokens. Exits: a place becomes free by time, or is taken over when its set has no free place.
 */

/** Limits of the token bucket of each client (docs/contract/limits.md#requests). */
export interface RateLimit {
  /** Tokens refilled per second: whole, and at most `RPS_MAX`. */
  readonly rps: number;
  /** Tokens of a full bucket: whole, and at most `BURST_MAX`. */
  readonly burst: number;
}

export const RPS_MAX = 100_000;
export const BURST_MAX = 1_000_000;

/** The debt of one token, in units. `rps` units are repaid per millisecond, so that all sums are whole numbers. */
const TOKEN_UNITS = 1_000;

const WAYS = 8;
const DEFAULT_SETS = 8_192;

/**
 * The buckets of all clients in a fixed amount of memory: 16 bytes for each of `sets` times 8 places.
 *
 * A full bucket is not stored, so a client takes a place for at most `burst / rps` seconds after its last request. If a
 * set has no free place, the fullest bucket in it is replaced and its client starts with a full one. A flood of
 * addresses thus frees some clients of a debt, but locks no client out (docs/decisions/rate-limit.md).
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #sets: number;
  readonly #seeds: readonly [number, number];
  /** When each bucket is full again, in units since the clock's start. */
  readonly #fullAt: Float64Array;
  /** Two numbers per place that identify the owner of the bucket. */
  readonly #owners: Uint32Array;

  /**
   * `seeds` are two random 32-bit numbers. Without them a client cannot choose addresses that fall into the same set.
   */
  constructor(limit: RateLimit, seeds: readonly [number, number], sets = DEFAULT_SETS) {
    this.#limit = limit;
    this.#sets = sets;
    this.#seeds = seeds;
    this.#fullAt = new Float64Array(sets * WAYS);
    this.#owners = new Uint32Array(sets * WAYS * 2);
  }

  /**
   * Takes a token of a client. `now` is whole milliseconds of a monotonic clock. Returns 0, or the milliseconds until
   * the next token; in that case none is taken.
   */
  take(client: string, now: number): number {
    const { rps, burst } = this.#limit;
    const place = this.#placeOf(client);
    const present = now * rps;
    const fullAt = Math.max(this.#fullAt[place] ?? 0, present) + TOKEN_UNITS;
    const excess = fullAt - present - burst * TOKEN_UNITS;
    if (excess > 0) return Math.ceil(excess / rps);
    this.#fullAt[place] = fullAt;
    return 0;
  }

  /** Returns the place of a client's bucket. If there is none, replaces the fullest bucket of the set. */
  #placeOf(client: string): number {
    const high = hashOf(client, this.#seeds[0]);
    const low = hashOf(client, this.#seeds[1]);
    const first = (high % this.#sets) * WAYS;
    let fullest = first;
    for (let place = first; place < first + WAYS; place++) {
      if (this.#owners[2 * place] === high && this.#owners[2 * place + 1] === low) return place;
      if ((this.#fullAt[place] ?? 0) < (this.#fullAt[fullest] ?? 0)) fullest = place;
    }
    this.#owners[2 * fullest] = high;
    this.#owners[2 * fullest + 1] = low;
    this.#fullAt[fullest] = 0;
    return fullest;
  }
}

/** Returns a 32-bit hash of a text that depends on the seed. */
function hashOf(text: string, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
