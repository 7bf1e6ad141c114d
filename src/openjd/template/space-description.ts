import type { IntegerRun } from '../primitives/integer-set.ts';

/**
 * Description of a step's parameter space: small regardless of its length, and plain JSON. `openSpace` returns the
 * object that computes point i of it.
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
  /** Chunks of an increasing set of integers (specification, section 3.4.1.5). */
  | { readonly kind: 'chunks'; readonly runs: readonly IntegerRun[]; readonly cut: ChunkCut };

export type RangeConstraint = 'CONTIGUOUS' | 'NONCONTIGUOUS';

export interface ChunkCut {
  /** Maximum number of integers in a chunk. */
  readonly size: number;
  readonly constraint: RangeConstraint;
  /**
   * Set for chunks of the full size and a smaller last one (for an adaptive size), instead of chunks of similar size.
   */
  readonly greedy: boolean;
}

/**
 * Chunks of one size in sequence, of a step whose chunks change their size: from the task `firstTask` on, up to the next
 * section. The first begins with the item `firstItem`: items are the points of the space without chunks, in the order
 * in which the chunked parameter varies fastest.
 */
export interface ChunkSection {
  readonly firstTask: number;
  readonly firstItem: number;
  /** Maximum number of items in a chunk. */
  readonly size: number;
}
