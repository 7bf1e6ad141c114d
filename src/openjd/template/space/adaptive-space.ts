import type { StepPlan } from '../plan.ts';
import type { AxisValues, ChunkSection, SpaceDescription } from '../space-description.ts';
import { chunkAxis, type ChunkAxis } from './chunk-axis.ts';
import { firstOf, openSpace, setValue, type Space, type SpaceLeaf } from './open-space.ts';
import { PrefixSums } from './prefix-sums.ts';

/**
 * A space whose chunks change their size. Its items are the points of the space without chunks, in the order in which
 * the chunked parameter varies fastest. Each item is in exactly one task.
 */
export interface AdaptiveSpace extends Space {
  readonly itemCount: number;
  /** Returns the items of a task: `first`, first + 1, ... Throws a RangeError for any other task. */
  itemsOf(index: number): { readonly first: number; readonly count: number };
  /** Returns the number of chunks of at most `size` items from an item on, to the end of the space. */
  chunksFrom(item: number, size: number): number;
}

type ChunkValues = Extract<AxisValues, { kind: 'chunks' }>;

interface ChunkedSpace {
  /** Name of the chunked parameter. */
  readonly name: string;
  readonly values: ChunkValues;
  /** Space of the other parameters. */
  readonly outer: SpaceDescription;
}

/** Tasks in sequence that are chunks of the same axis, repeated for each point of the other parameters. */
interface Piece {
  readonly first: number;
  readonly count: number;
  /** Point of the other parameters at the first task. */
  readonly outer: number;
  readonly axis: ChunkAxis;
  /** Number of integers before the axis. */
  readonly skipped: number;
}

/**
 * Opens the space of a step's tasks: with the sections of its chunks, if it has some, else as described. Takes time
 * linear in the size of the description and in the number of sections.
 */
export const openTasks = (
  { space }: Pick<StepPlan, 'space'>,
  sections: readonly ChunkSection[] | null,
): Space => (sections === null ? openSpace(space) : openAdaptiveSpace(space, sections));

/** Returns the section of all tasks of a space as it is described; null if its chunks cannot change their size. */
export function firstSection(space: SpaceDescription): ChunkSection | null {
  const chunked = chunkedSpace(space);
  return chunked === null ? null : { firstTask: 0, firstItem: 0, size: chunked.values.cut.size };
}

/** Returns the chunked parameter if it varies fastest and its chunks have the full size; else null. */
function chunkedSpace(space: SpaceDescription): ChunkedSpace | null {
  const last = space.kind === 'product' ? space.parts.at(-1) : space;
  if (last?.kind !== 'axis' || last.values.kind !== 'chunks' || !last.values.cut.greedy) return null;
  const parts = space.kind === 'product' ? space.parts.slice(0, -1) : [];
  return { name: last.name, values: last.values, outer: { kind: 'product', parts } };
}

/** Opens a space with sections. The first section begins with task 0 and item 0; each begins with the item after the one before. */
export function openAdaptiveSpace(
  description: SpaceDescription,
  sections: readonly ChunkSection[],
): AdaptiveSpace {
  const chunked = chunkedSpace(description);
  if (chunked === null) throw new Error('the chunks of this space cannot change their size');
  return new SectionedSpace(chunked, sections);
}

class SectionedSpace implements AdaptiveSpace {
  readonly length: number;
  readonly itemCount: number;
  private readonly name: string;
  private readonly values: ChunkValues;
  private readonly outer: Space;
  /** Number of integers of the chunked parameter. */
  private readonly integers: number;
  private readonly pieces: readonly Piece[];
  private readonly sums: PrefixSums;

  constructor({ name, values, outer }: ChunkedSpace, sections: readonly ChunkSection[]) {
    this.name = name;
    this.values = values;
    this.outer = openSpace(outer);
    this.integers = values.runs.reduce((sum, run) => sum + run.count, 0);
    this.itemCount = this.outer.length * this.integers;
    this.pieces = sections.flatMap((section, nth) => this.piecesOf(section, sections[nth + 1]?.firstTask));
    this.sums = new PrefixSums(this.pieces.map(({ count }) => count));
    this.length = this.sums.total;
  }

  at(index: number): Record<string, string> {
    const { piece, outer, chunk } = this.place(index);
    const point = this.outer.at(outer);
    setValue(point, this.name, piece.axis.valueAt(chunk));
    return point;
  }

  itemsOf(index: number): { readonly first: number; readonly count: number } {
    const { piece, outer, chunk } = this.place(index);
    const start = piece.axis.startOf(chunk);
    const first = outer * this.integers + piece.skipped + start;
    return { first, count: piece.axis.startOf(chunk + 1) - start };
  }

  chunksFrom(item: number, size: number): number {
    if (item >= this.itemCount) return 0;
    const begun = Math.floor(item / this.integers);
    const skipped = item % this.integers;
    const whole = this.outer.length - begun - (skipped === 0 ? 0 : 1);
    const ofBegun = skipped === 0 ? 0 : this.axis(size, skipped).length;
    return ofBegun + (whole === 0 ? 0 : whole * this.axis(size, 0).length);
  }

  indexOf(values: Readonly<Record<string, string>>): number | null {
    return firstOf(this.pointsWith(values));
  }

  *pointsWith(values: Readonly<Record<string, string>>): Generator<number> {
    if (!Object.hasOwn(values, this.name)) return;
    const { [this.name]: chunkText = '', ...others } = values;
    const outers = [...this.outer.pointsWith(others)];
    for (const { first, count, outer, axis } of this.pieces) {
      for (const point of outers) {
        for (const chunk of axis.indicesOf(chunkText)) {
          const place = (point - outer) * axis.length + chunk;
          if (place >= 0 && place < count) yield first + place;
        }
      }
    }
  }

  leavesOf(name: string): readonly SpaceLeaf[] {
    if (name === this.name)
      return this.pieces.map(({ axis, first, count }) => ({ axis, divisor: 1, first, count, offset: 0 }));
    const [leaf] = this.outer.leavesOf(name);
    if (leaf === undefined) return [];
    return this.pieces.map(({ axis: { length }, first, count, outer }) => ({
      axis: leaf.axis,
      divisor: leaf.divisor * length,
      first,
      count,
      offset: outer * length,
    }));
  }

  /** A section begins within the integers of one point of the other parameters, and continues with the whole ones. */
  private piecesOf({ firstTask, firstItem, size }: ChunkSection, end: number | undefined): readonly Piece[] {
    const pieces: Piece[] = [];
    let first = firstTask;
    let outer = Math.floor(firstItem / this.integers);
    const skipped = firstItem % this.integers;
    const add = (axis: ChunkAxis, points: number, from: number): void => {
      const count = Math.min(axis.length * points, (end ?? Infinity) - first);
      if (count <= 0) return;
      pieces.push({ first, count, outer, axis, skipped: from });
      first += count;
      outer += points;
    };
    if (skipped > 0) add(this.axis(size, skipped), 1, skipped);
    if (outer < this.outer.length && first < (end ?? Infinity))
      add(this.axis(size, 0), this.outer.length - outer, 0);
    return pieces;
  }

  private axis(size: number, skipped: number): ChunkAxis {
    return chunkAxis(this.values.runs, { ...this.values.cut, size }, skipped);
  }

  private place(index: number): { readonly piece: Piece; readonly outer: number; readonly chunk: number } {
    const piece =
      Number.isInteger(index) && index >= 0 && index < this.length
        ? this.pieces[this.sums.find(index)]
        : undefined;
    if (piece === undefined) throw new RangeError(`there is no point ${index}`);
    const place = index - piece.first;
    return {
      piece,
      outer: piece.outer + Math.floor(place / piece.axis.length),
      chunk: place % piece.axis.length,
    };
  }
}
