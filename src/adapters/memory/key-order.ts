/**
 * Compares keys in the order of the store: by their UTF-8 bytes, which is the order of code points. JavaScript compares
 * UTF-16 units, which differs if a surrogate is compared with a unit above it.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const ABOVE_ALL_UNITS = 0x10000;

/** Surrogates represent code points above every other unit. */
const rank = (unit: number): number =>
  unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + ABOVE_ALL_UNITS : unit;
