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
 * A value of the expression language. An `int` is a number if it is a safe integer and otherwise a bigint, never both
 * for the same integer: create ints with `int` or `intOf`. A number is therefore never a float.
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
  /** The original text if the float was not computed; null otherwise. */
  readonly text: string | null;
}

/** Path formats (section 1.2.1); a path with `scheme://` is a URI in every context. */
export type PathStyle = 'posix' | 'windows' | 'uri';

export interface PathValue {
  readonly kind: 'path';
  readonly text: string;
  readonly style: PathStyle;
}

export interface RangeValue {
  readonly kind: 'range';
  /** In normal form, at least one. */
  readonly runs: readonly Run[];
  /**
   * Set for a chunk of consecutive integers: written `first-last` even if it has one or two integers. Results computed
   * from it do not have the mark. Absent is false.
   */
  readonly isContiguous?: boolean;
}

export interface ListValue {
  readonly kind: 'list';
  readonly type: ListType;
  readonly items: readonly Value[];
  /** Memory of the list and its items in bytes, as counted by `sizeOf`. */
  readonly bytes: number;
}

/** An unknown value (section "Static Type Checking via Unresolved Values"). */
export interface UnresolvedValue {
  readonly kind: 'unresolved';
  readonly type: UnresolvedType;
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER);
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Bytes of any value; added bytes per UTF-16 unit of a string or path, and per run of a range. */
const VALUE_BYTES = 32;
const UNIT_BYTES = 2;
const RUN_BYTES = 96;

/** Returns the int of a bigint; null if it does not fit 64 bits. */
export function intOf(value: bigint): number | bigint | null {
  if (value >= MIN_SAFE && value <= MAX_SAFE) return Number(value);
  return value < MIN_INT64 || value > MAX_INT64 ? null : value;
}

/** Returns a computed float; null if it is not finite (section 1.3.4). */
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

/** Returns the type of a value. */
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

/**
 * Returns the charged size of a value in bytes (section 1.3.9). It is the same everywhere, and at least the memory that
 * an engine needs.
 */
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

/** Returns the charged bytes of a string of this many UTF-16 units. */
export const stringBytes = (units: number): number => VALUE_BYTES + UNIT_BYTES * units;

/** Returns the charged bytes of a list of `count` values with `each` bytes. */
export const listBytes = (count: number, each: number = VALUE_BYTES): number => VALUE_BYTES + count * each;
