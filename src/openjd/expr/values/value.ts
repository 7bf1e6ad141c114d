import type { Run } from '../../primitives/integer-set.ts';
import {
  BOOL,
  FLOAT,
  INT,
  NULLTYPE,
  PATH,
  RANGE_EXPR,
  STRING,
  unresolved,
  type ExprType,
  type ListType,
  type UnresolvedType,
} from '../type-system/expr-type.ts';

/**
 * A value of the expression language. An `int` is a number where it is a safe integer and a bigint beyond, never both for the same integer:
 * make ints with `int` or `intOf`. A number is therefore never a float.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | FloatValue
  | PathValue
  | RangeValue
  | ListValue
  | UnresolvedValue;

export interface FloatValue {
  readonly kind: 'float';
  /** Finite, never -0. */
  readonly value: number;
  /** How it was written, where it was not computed; null otherwise. */
  readonly text: string | null;
}

/** How paths are written (section 1.2.1); a path with `scheme://` is a URI whatever its format. */
export type PathStyle = 'posix' | 'windows' | 'uri';

export interface PathValue {
  readonly kind: 'path';
  readonly text: string;
  readonly style: PathStyle;
}

export interface RangeValue {
  readonly kind: 'range';
  /** In normal form, one at least. */
  readonly runs: readonly Run[];
  /** Of a chunk of consecutive integers: written `first-last` even when it has one integer or two. What is made of it is not. Absent is false. */
  readonly isContiguous?: boolean;
}

export interface ListValue {
  readonly kind: 'list';
  readonly type: ListType;
  readonly items: readonly Value[];
  /** What the list and its items take in memory, as `sizeOf` counts it. */
  readonly bytes: number;
}

/** A value that is not known yet (section "Static Type Checking via Unresolved Values"). */
export interface UnresolvedValue {
  readonly kind: 'unresolved';
  readonly type: UnresolvedType;
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER);
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Bytes of any value, and what a string or path adds for a UTF-16 unit, and a range for a run of integers. */
const VALUE_BYTES = 32;
const UNIT_BYTES = 2;
const RUN_BYTES = 96;

/** The int of a bigint; null when it does not fit 64 bits. */
export function intOf(value: bigint): number | bigint | null {
  if (value >= MIN_SAFE && value <= MAX_SAFE) return Number(value);
  return value < MIN_INT64 || value > MAX_INT64 ? null : value;
}

/** A computed float; null when it is not finite (section 1.3.4). */
export const floatOf = (value: number): FloatValue | null =>
  Number.isFinite(value) ? { kind: 'float', value: value === 0 ? 0 : value, text: null } : null;

export const pathOf = (text: string, style: PathStyle): PathValue => ({ kind: 'path', text, style });

export function listOfType(type: ListType, items: readonly Value[]): ListValue {
  let bytes = VALUE_BYTES;
  for (const item of items) bytes += sizeOf(item);
  return { kind: 'list', type, items, bytes };
}

export const unresolvedOf = (type: ExprType): UnresolvedValue => ({
  kind: 'unresolved',
  type: unresolved(type),
});

/** The type of a value. */
export function typeOf(value: Value): ExprType {
  if (typeof value === 'number' || typeof value === 'bigint') return INT;
  if (typeof value === 'string') return STRING;
  if (typeof value === 'boolean') return BOOL;
  if (value === null) return NULLTYPE;
  switch (value.kind) {
    case 'float':
      return FLOAT;
    case 'path':
      return PATH;
    case 'range':
      return RANGE_EXPR;
    case 'list':
    case 'unresolved':
      return value.type;
  }
}

/** Bytes that a value counts for (section 1.3.9): the same everywhere, and no less than an engine takes for it. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return VALUE_BYTES + UNIT_BYTES * value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  switch (value.kind) {
    case 'float':
      return value.text === null ? VALUE_BYTES : VALUE_BYTES + UNIT_BYTES * value.text.length;
    case 'path':
      return VALUE_BYTES + UNIT_BYTES * value.text.length;
    case 'range':
      return VALUE_BYTES + RUN_BYTES * value.runs.length;
    case 'list':
      return value.bytes;
    default:
      return VALUE_BYTES;
  }
}

/** Bytes that a string of so many UTF-16 units will count for. */
export const stringBytes = (units: number): number => VALUE_BYTES + UNIT_BYTES * units;

/** Bytes that a list of so many values will count for, when each takes `each`. */
export const listBytes = (count: number, each: number = VALUE_BYTES): number => VALUE_BYTES + count * each;
