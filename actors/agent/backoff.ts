/** Bounds of exponential backoff: the delay doubles with each try. */
export interface BackoffBounds {
  readonly firstMs: number;
  readonly maxMs: number;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Returns the delay in milliseconds after `tries` failures. `seed` spreads it over the upper half of the bound; it must
 * differ between workers and tries, so that many workers do not retry at the same moment.
 */
export function backoffMs(tries: number, bounds: BackoffBounds, seed: string): number {
  const bound = Math.min(bounds.maxMs, bounds.firstMs * 2 ** Math.min(tries, 30));
  return Math.round(bound * (0.5 + fractionOf(seed) / 2));
}

/** Returns a number from 0 up to 1, spread evenly over different texts. */
function fractionOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME) >>> 0;
  return hash / 2 ** 32;
}
