/**
 * Returns the first of `length` indices for which `isBefore` is false, by binary search, or `length` if there is none.
 * `isBefore` must be true up to some index and false from there on.
 */
export function partitionPoint(length: number, isBefore: (place: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
