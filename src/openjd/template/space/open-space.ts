import type { AxisValues, SpaceDescription } from '../space-description.ts';
import type { AxisReader } from './axis-reader.ts';
import { chunkAxis } from './chunk-axis.ts';
import { integerAxis } from './integer-axis.ts';

/** A parameter space that computes its points on demand. */
export interface Space {
  /** Number of points. Exact up to 2^53. */
  readonly length: number;
  /** Returns the values at point i, from 0 to length - 1, by parameter name. Throws a RangeError for any other i. */
  at(index: number): Record<string, string>;
  /** Returns the first point with exactly these values, or null. */
  indexOf(values: Readonly<Record<string, string>>): number | null;
  /** Yields all points with exactly these values, in increasing order. */
  pointsWith(values: Readonly<Record<string, string>>): Iterable<number>;
  /** Returns the values of one parameter in all points, in sequence; none if there is no such parameter. */
  leavesOf(name: string): readonly SpaceLeaf[];
}

/**
 * The values of a parameter in `count` points from `first` on: point first + j has the value at the position
 * floor((offset + j) / divisor) % axis.length.
 */
export interface SpaceLeaf {
  readonly axis: AxisReader;
  readonly divisor: number;
  readonly first: number;
  readonly count: number;
  readonly offset: number;
}

interface Leaf {
  readonly name: string;
  readonly axis: AxisReader;
  readonly divisor: number;
}

/**
 * Opens a described space. Takes time linear in the size of the description; `at` takes time linear in the number of
 * parameters.
 */
export function openSpace(description: SpaceDescription): Space {
  const opened = open(description);
  const leaves: Leaf[] = [];
  place(opened, 1, leaves);
  const { length } = opened;
  function* pointsWith(values: Readonly<Record<string, string>>): Generator<number> {
    if (Object.keys(values).length !== leaves.length) return;
    for (const index of candidates(opened, values)) {
      const point = pointAt(leaves, index);
      if (leaves.every(({ name }) => Object.hasOwn(values, name) && point[name] === values[name]))
        yield index;
    }
  }
  return {
    length,
    at: (index) => {
      if (!Number.isInteger(index) || index < 0 || index >= length)
        throw new RangeError(`there is no point ${index}`);
      return pointAt(leaves, index);
    },
    leavesOf: (name) =>
      leaves
        .filter((leaf) => leaf.name === name)
        .map(({ axis, divisor }) => ({ axis, divisor, first: 0, count: length, offset: 0 })),
    pointsWith,
    indexOf: (values) => firstOf(pointsWith(values)),
  };
}

/** Returns the first of some points, or null. */
export function firstOf(points: Iterable<number>): number | null {
  for (const index of points) return index;
  return null;
}

function pointAt(leaves: readonly Leaf[], index: number): Record<string, string> {
  const point: Record<string, string> = {};
  for (const leaf of leaves) {
    setValue(point, leaf.name, leaf.axis.valueAt(Math.floor(index / leaf.divisor) % leaf.axis.length));
  }
  return point;
}

/** Sets the value of a parameter of a point. */
export function setValue(point: Record<string, string>, name: string, value: string): void {
  // An assignment to this name would set the prototype and lose the value.
  if (name === '__proto__')
    Object.defineProperty(point, name, { value, enumerable: true, configurable: true, writable: true });
  else point[name] = value;
}

type Opened =
  | { readonly kind: 'axis'; readonly length: number; readonly name: string; readonly axis: AxisReader }
  | { readonly kind: 'product' | 'zip'; readonly length: number; readonly parts: readonly Opened[] };

function open(description: SpaceDescription): Opened {
  switch (description.kind) {
    case 'single':
      return { kind: 'product', length: 1, parts: [] };
    case 'axis': {
      const axis = axisOf(description.values);
      return { kind: 'axis', length: axis.length, name: description.name, axis };
    }
    case 'product': {
      const parts = description.parts.map(open);
      return { kind: 'product', length: parts.reduce((product, part) => product * part.length, 1), parts };
    }
    case 'zip': {
      const parts = description.parts.map(open);
      return { kind: 'zip', length: parts[0]?.length ?? 0, parts };
    }
  }
}

function axisOf(values: AxisValues): AxisReader {
  switch (values.kind) {
    case 'list':
      return listAxis(values.values);
    case 'runs':
      return integerAxis(values.runs);
    case 'chunks':
      return chunkAxis(values.runs, values.cut);
  }
}

function listAxis(values: readonly string[]): AxisReader {
  return {
    length: values.length,
    valueAt: (index) => values[index] ?? '',
    indicesOf: (value) => values.flatMap((candidate, index) => (candidate === value ? index : [])),
  };
}

/**
 * Assigns each parameter its divisor. A part of a product is repeated for every value of the parts to its right; the
 * parts of a zip all use the zip's own position. The length of a part times its divisor divides the length of the
 * enclosing part, so the remainders of the outer levels need not be computed.
 */
function place(opened: Opened, divisor: number, leaves: Leaf[]): void {
  if (opened.kind === 'axis') {
    leaves.push({ name: opened.name, axis: opened.axis, divisor });
    return;
  }
  let right = opened.kind === 'product' ? opened.length : 1;
  for (const part of opened.parts) {
    if (opened.kind === 'product') right /= part.length;
    place(part, divisor * right, leaves);
  }
}

/** Yields points in increasing order that may have the values; all that have them are among these. */
function* candidates(opened: Opened, values: Readonly<Record<string, string>>): Generator<number> {
  if (opened.kind === 'axis') {
    const value = Object.hasOwn(values, opened.name) ? values[opened.name] : undefined;
    if (value !== undefined) yield* opened.axis.indicesOf(value);
  } else if (opened.kind === 'zip') {
    const [first] = opened.parts;
    if (first !== undefined) yield* candidates(first, values);
  } else yield* productCandidates(opened.parts, values);
}

function* productCandidates(
  parts: readonly Opened[],
  values: Readonly<Record<string, string>>,
): Generator<number> {
  const [first, ...rest] = parts;
  if (first === undefined) {
    yield 0;
    return;
  }
  const stride = rest.reduce((product, part) => product * part.length, 1);
  for (const index of candidates(first, values)) {
    for (const inner of productCandidates(rest, values)) yield index * stride + inner;
  }
}
