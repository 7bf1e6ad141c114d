import type { IntegerRun } from '../primitives/integer-set.ts';

/**
 * A step's parameter space, described and not listed: small whatever its length, and plain JSON. `openSpace` makes
 * the object that computes point i of it.
 */
export type SpaceDescription =
  /** No parameters: exactly one point. */
  | { readonly kind: 'single' }
  | { readonly kind: 'axis'; readonly name: string; readonly values: AxisValues }
  /** The rightmost part varies fastest. */
  | { readonly kind: 'product'; readonly parts: readonly SpaceDescription[] }
  /** All parts have the same length and advance together. */
  | { readonly kind: 'zip'; readonly parts: readonly SpaceDescription[] };

export type AxisValues =
  | { readonly kind: 'list'; readonly values: readonly string[] }
  /** Runs of an increasing set of integers, as decimal text (int64). */
  | { readonly kind: 'runs'; readonly runs: readonly IntegerRun[] }
  /** Chunks of an increasing set of integers, cut as `cut` says (specification, section 3.4.1.5). */
  | { readonly kind: 'chunks'; readonly runs: readonly IntegerRun[]; readonly cut: ChunkCut };

export type RangeConstraint = 'CONTIGUOUS' | 'NONCONTIGUOUS';

export interface ChunkCut {
  /** Integers in a chunk, at most. */
  readonly size: number;
  readonly constraint: RangeConstraint;
  /** Chunks of the full size and a smaller last one (for an adaptive size), instead of chunks of like size. */
  readonly greedy: boolean;
}
