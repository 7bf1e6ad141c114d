/**
 * States of an account or address: free (few failures), slowed down. Invariants: memory is fixed; a delay never exceeds
 * `DELAY_MAX_MS`. Exits: one failure is forgotten in each `FORGET_MS`, so no account and no address is locked out
 * (docs/decisions/accounts.md#failed-logins).
 */

import { createHmac, randomBytes } from 'node:crypto';

/** Failures without a delay. */
const FREE_ACCOUNT = 10;
/** An address may stand for many people. */
const FREE_ADDRESS = 50;
const DELAY_STEP_MS = 250;
const DELAY_MAX_MS = 2_000;
/** Time in which one failure is forgotten. */
const FORGET_MS = 60_000;
/** Number of accounts and addresses that are remembered. */
const PLACES = 8_192;
/** Logins that wait at the same time: in total, and for one account or address. */
const WAITING_MAX = 256;
const WAITING_EACH_MAX = 4;

type Subject = 'account' | 'address';

/** Delays logins of accounts and addresses that have failed repeatedly, in a fixed amount of memory. */
export class LoginThrottle {
  readonly #steadyNow: () => number;
  readonly #delay: (milliseconds: number) => Promise<void>;
  readonly #key: Uint8Array;
  readonly #failures = new Float64Array(PLACES);
  readonly #since = new Float64Array(PLACES);
  readonly #waiting = new Map<number, number>();
  #allWaiting = 0;

  /**
   * `steadyNow` returns milliseconds of a clock that never goes back; `delay` resolves after milliseconds. `key` decides
   * which accounts and addresses share a place.
   */
  constructor(
    steadyNow: () => number,
    delay: (milliseconds: number) => Promise<void>,
    key: Uint8Array = randomBytes(16),
  ) {
    this.#steadyNow = steadyNow;
    this.#delay = delay;
    this.#key = key;
  }

  /** Waits as long as the failures of account and address require. Resolves with false if too many wait already. */
  async admit(account: string, address: string): Promise<boolean> {
    const places = [this.#placeOf('account', account), this.#placeOf('address', address)];
    const milliseconds = Math.max(
      this.#delayOf(places[0] ?? 0, FREE_ACCOUNT),
      this.#delayOf(places[1] ?? 0, FREE_ADDRESS),
    );
    if (milliseconds === 0) return true;
    const isFull =
      this.#allWaiting >= WAITING_MAX ||
      places.some((place) => (this.#waiting.get(place) ?? 0) >= WAITING_EACH_MAX);
    if (isFull) return false;
    this.#count(places, 1);
    try {
      await this.#delay(milliseconds);
    } finally {
      this.#count(places, -1);
    }
    return true;
  }

  /** Counts a failed login. */
  failed(account: string, address: string): void {
    for (const place of [this.#placeOf('account', account), this.#placeOf('address', address)]) {
      this.#failures[place] = this.#left(place) + 1;
      this.#since[place] = this.#steadyNow();
    }
  }

  /** Forgets the failures of an account after a login. Those of its address stay: it may be that of an attacker. */
  succeeded(account: string): void {
    this.#failures[this.#placeOf('account', account)] = 0;
  }

  #delayOf(place: number, free: number): number {
    const excess = Math.floor(this.#left(place)) - free;
    return excess < 0 ? 0 : Math.min(DELAY_MAX_MS, DELAY_STEP_MS * 2 ** Math.min(excess, 10));
  }

  /** Returns the failures that are not forgotten yet. */
  #left(place: number): number {
    const passed = this.#steadyNow() - (this.#since[place] ?? 0);
    return Math.max(0, (this.#failures[place] ?? 0) - passed / FORGET_MS);
  }

  #count(places: readonly number[], change: 1 | -1): void {
    this.#allWaiting += change;
    for (const place of places) {
      const waiting = (this.#waiting.get(place) ?? 0) + change;
      if (waiting === 0) this.#waiting.delete(place);
      else this.#waiting.set(place, waiting);
    }
  }

  /** The key of the hash is secret, so that a client cannot choose a name that shares the place of another. */
  #placeOf(subject: Subject, name: string): number {
    const hash = createHmac('sha256', this.#key).update(`${subject} ${name}`).digest();
    return hash.readUInt32LE(0) % PLACES;
  }
}
