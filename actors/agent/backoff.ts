import { textHash } from '../../src/core/text-hash.ts';

/** Number of different hashes of texts. */
const HASHES = 2 ** 32;

/** Bounds of exponential backoff: the delay doubles with each try. */
export interface BackoffBounds {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Returns the delay in milliseconds after `tries` failures. `seed` spreads it over the upper half of the bound; it must
 * differ between workers and tries, so that many workers do not retry at the same moment.
 */
export function backoffMs(tries: number, bounds: BackoffBounds, seed: string): number {
  const bound = Math.min(bounds.maxMs, bounds.firstMs * 2 ** Math.min(tries, 30));
  return Math.round(bound * (0.5 + textHash(seed) / HASHES / 2));
}
