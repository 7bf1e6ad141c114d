/**
 * The first of `length` places of which `isBefore` is false, by halving; `length` when it is true of all of them.
 * It must be true of every place up to one and of none from there on.
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
