/**
 * States of a share: open, released (final). Invariants: the totals are the sums of all open shares; a refused request
 * changes nothing. Exits: `release`.
 */

/** Limits of the request bodies that the service holds at the same time, in bytes. */
export interface BodyLimits {
  /** `http.body_bytes_per_client`. */
  readonly perClient: number;
  /** `http.body_bytes`. */
  readonly total: number;
}

/** Bodies up to this size may use the whole total; larger ones leave a part of it to them. */
const SMALL_BYTES = 65_536;
/** Part of the total that is kept for small bodies. */
const SMALL_PART = 1 / 8;

/** The limit that a body would exceed. */
export type ExceededBudget = 'client' | 'total';

/** Memory of the request bodies from their first byte to the end of their request. */
export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #byClient = new Map<string, number>();
  #total = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Number of bytes that all bodies hold. */
  get total(): number {
    return this.#total;
  }

  /** Opens the share of a request, which has no bytes yet. */
  open(client: string): BodyShare {
    return new BodyShare((bytes, held) => this.#take(client, bytes, held));
  }

  /**
   * Takes bytes for a body that has `held` bytes already, or gives back a negative number. Returns the limit that does not
   * allow it, or null.
   */
  #take(client: string, bytes: number, held: number): ExceededBudget | null {
    const { perClient, total } = this.#limits;
    const ofClient = (this.#byClient.get(client) ?? 0) + bytes;
    if (bytes > 0) {
      if (ofClient > perClient) return 'client';
      const allowed = held + bytes > SMALL_BYTES ? total * (1 - SMALL_PART) : total;
      if (this.#total + bytes > allowed) return 'total';
    }
    this.#total += bytes;
    if (ofClient === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, ofClient);
    return null;
  }
}

/** Bytes of one request's body. */
export class BodyShare {
  readonly #take: (bytes: number, held: number) => ExceededBudget | null;
  #bytes = 0;
  #isReleased = false;
  /** The limit that has refused bytes last; null if none has. */
  exceeded: ExceededBudget | null = null;

  constructor(take: (bytes: number, held: number) => ExceededBudget | null) {
    this.#take = take;
  }

  /**
   * Takes more bytes, or gives back a negative number of them. Returns false if the budget does not allow it or the share
   * is released.
   */
  grow(bytes: number): boolean {
    if (this.#isReleased) return false;
    const exceeded = this.#take(bytes, this.#bytes);
    if (exceeded !== null) {
      this.exceeded = exceeded;
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  /** Gives all bytes back. Further calls have no effect. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#take(-this.#bytes, this.#bytes);
  }
}
