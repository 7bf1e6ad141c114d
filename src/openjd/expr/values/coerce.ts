import { parseRange } from '../../primitives/range-expression.ts';
import { ExprFailure } from '../expr-failure.ts';
import { MAX_RANGE_PARTS } from '../expr-limits.ts';
import type { Call } from '../functions/call.ts';
import {
  alternatives,
  ANY,
  INT,
  listType,
  NULLTYPE,
  unionOf,
  unresolved,
  type BasicName,
  type ExprType,
  type ListType,
  type ResolvedType,
} from '../type-system/expr-type.ts';
import { isGeneric } from '../type-system/expr-type.ts';
import { satisfies } from '../type-system/type-match.ts';
import { pathOfText } from '../paths/path-value.ts';
import { displayOf } from './display.ts';
import { boolOfText, floatOfText, intOfFloat, intOfText } from './number-text.ts';
import { rangeItems } from './range-items.ts';
import { listOfType, sizeOf, typeOf, type ListValue, type RangeValue, type Value } from './value.ts';

/** Targets of a coercion by the kind of the source, the preferred one first (section 1.2.3). */
const DESTINATIONS: Partial<Readonly<Record<ResolvedType['kind'], readonly BasicName[]>>> = {
  bool: ['string'],
  int: ['float', 'string'],
  float: ['int', 'string'],
  string: ['int', 'float', 'bool', 'range_expr', 'path'],
  path: ['string'],
  range_expr: ['string'],
};

/** Steps per converted element, or run of a range. */
const STEPS_OF_COERCION = 16;

/** Coercions that depend on the value. */
const DEPENDS_ON_VALUE: ReadonlySet<string> = new Set([
  'float int',
  'string int',
  'string float',
  'string bool',
  'string range_expr',
]);

/**
 * Coerces the value to the target type, without loss (sections 1.2.3 and 1.3.1): unchanged if it satisfies the target,
 * else by the preferred coercion that succeeds. Fails if there is none.
 */
export function coerce(value: Value, target: ExprType, call: Call): Value {
  const type = typeOf(value);
  if (satisfies(type, target)) return value;
  if (type.kind === 'unresolved') {
    const coerced = coercedType(type.of, target);
    if (coerced === null) throw cannotCoerce(type.of, target);
    return { kind: 'unresolved', type: unresolved(coerced) };
  }
  const candidates = destinationsOf(type, target);
  let failure: ExprFailure | null = null;
  for (const candidate of candidates) {
    const coerced = convert(value, candidate, call);
    if (!(coerced instanceof ExprFailure)) return coerced;
    failure = coerced;
  }
  // The failure of a union names no single conversion, because none of them was requested.
  throw failure === null || target.kind === 'union' ? cannotCoerce(type, target) : failure;
}

/** Returns the alternatives of the target to which a value of the type can be coerced. */
function destinationsOf(type: ResolvedType, target: ExprType): readonly ResolvedType[] {
  if (target.kind === 'unresolved' || target.kind === 'variable') return [];
  const members = alternatives(target).filter((member) => !isGeneric(member));
  const found: ResolvedType[] = [];
  for (const kind of DESTINATIONS[type.kind] ?? []) {
    found.push(...members.filter((member) => member.kind === kind));
  }
  if (type.kind === 'range_expr') {
    found.push(...members.filter((member) => member.kind === 'list' && member.element === INT));
  }
  if (type.kind === 'list') {
    const lists = members.filter((member) => member.kind === 'list');
    const order = (member: ListType): number => preference(type.element, member.element);
    found.push(
      ...lists
        .filter((member) => order(member) >= 0)
        .map((member, index) => ({ member, index }))
        .toSorted((a, b) => order(a.member) - order(b.member) || a.index - b.index)
        .map(({ member }) => member),
    );
  }
  return found;
}

/** Returns the rank of a coercion between element types: 0 for the same type; -1 if no value can be coerced. */
function preference(source: ResolvedType, target: ResolvedType): number {
  if (source === NULLTYPE || satisfies(source, target)) return 0;
  if (source.kind === 'list' && target.kind === 'list') {
    return Math.max(0, preference(source.element, target.element));
  }
  const best = destinationsOf(source, target)[0];
  return best === undefined ? emptyOnly(source, target) : 1 + rank(source, best);
}

/** A list whose elements can never be coerced can still be empty. */
const emptyOnly = (_source: ResolvedType, target: ResolvedType): number => (isGeneric(target) ? -1 : 100);

const rank = (source: ResolvedType, target: ResolvedType): number =>
  DESTINATIONS[source.kind]?.findIndex((kind) => kind === target.kind) ?? 0;

/** Returns the type of a coerced value; null if no value of the type can be coerced. */
export function coercedType(type: ResolvedType, target: ExprType): ResolvedType | null {
  const results: ResolvedType[] = [];
  if (type === ANY) {
    const members = alternatives(target.kind === 'unresolved' ? target.of : target);
    results.push(...members.filter((member) => satisfies(member, member)));
  } else {
    for (const member of alternatives(type)) {
      if (satisfies(member, target)) results.push(member);
      else results.push(...certainPrefix(member, destinationsOf(member, target)));
    }
  }
  if (results.length === 0) return null;
  const union = unionOf(results);
  return union.kind === 'unresolved' ? union.of : union;
}

/** Returns the possible targets of a value: up to the first that accepts every value. */
function certainPrefix(source: ResolvedType, candidates: readonly ResolvedType[]): readonly ResolvedType[] {
  const certain = candidates.findIndex((candidate) => isCertain(source, candidate));
  return certain === -1 ? candidates : candidates.slice(0, certain + 1);
}

const isCertain = (source: ResolvedType, target: ResolvedType): boolean => {
  if (source.kind === 'list' && target.kind === 'list') {
    return (
      source.element === NULLTYPE ||
      satisfies(source.element, target.element) ||
      (destinationsOf(source.element, target.element).length > 0 && isCertain(source.element, target.element))
    );
  }
  return !DEPENDS_ON_VALUE.has(`${source.kind} ${target.kind}`);
};

function convert(value: Value, target: ResolvedType, call: Call): Value | ExprFailure {
  switch (target.kind) {
    case 'string':
      if (typeof value === 'object' && value?.kind === 'range') {
        call.chargeSteps(value.runs.length * STEPS_OF_COERCION);
      }
      return displayOf(value);
    case 'path':
      return typeof value === 'string'
        ? pathOfText(value, call.pathStyle)
        : cannotCoerce(typeOf(value), target);
    case 'int':
      return toInt(value);
    case 'float':
      return toFloat(value);
    case 'bool':
      return toBool(value);
    case 'range_expr':
      return toRange(value);
    case 'list':
      return toList(value, target, call);
    default:
      return cannotCoerce(typeOf(value), target);
  }
}

function toInt(value: Value): Value | ExprFailure {
  if (typeof value === 'string') {
    const int = intOfText(value);
    if (int === 'range') return new ExprFailure(`Cannot convert '${value}' to int: out of the 64-bit range`);
    return int ?? new ExprFailure(`Cannot convert '${value}' to int: invalid digit found in string`);
  }
  const float = typeof value === 'object' && value?.kind === 'float' ? value : null;
  const int = float === null ? null : intOfFloat(float.value);
  return int ?? new ExprFailure(`Cannot convert ${displayOf(value)} to int: it is not a whole number`);
}

function toFloat(value: Value): Value | ExprFailure {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return { kind: 'float', value: Number(value), text: null };
  }
  const float = typeof value === 'string' ? floatOfText(value) : null;
  return float ?? new ExprFailure(`Cannot convert '${displayOf(value)}' to float`);
}

function toBool(value: Value): Value | ExprFailure {
  const bool = typeof value === 'string' ? boolOfText(value) : null;
  return (
    bool ??
    new ExprFailure(
      `Cannot convert '${displayOf(value)}' to bool. Expected one of: 1, true, on, yes, 0, false, off, no`,
    )
  );
}

function toRange(value: Value): Value | ExprFailure {
  const parsed = parseRange(displayOf(value), MAX_RANGE_PARTS);
  return parsed.ok ? { kind: 'range', runs: parsed.runs } : new ExprFailure(parsed.detail);
}

function toList(value: Value, target: ListType, call: Call): Value | ExprFailure {
  const items = itemsOf(value, call);
  if (items === null) return cannotCoerce(typeOf(value), target);
  call.chargeSteps(items.length * STEPS_OF_COERCION);
  const coerced: Value[] = [];
  let bytes = 0;
  try {
    for (const item of items) {
      const each = coerce(item, target.element, call);
      bytes += sizeOf(each);
      call.reserve(bytes);
      coerced.push(each);
    }
  } catch (error) {
    if (!(error instanceof ExprFailure) || error.exhausted) throw error;
    return error;
  }
  return listOfType(target, coerced);
}

function itemsOf(value: Value, call: Call): readonly Value[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (value.kind === 'list') return value.items;
  return value.kind === 'range' ? laidOut(value, call) : null;
}

function laidOut(range: RangeValue, call: Call): readonly Value[] {
  try {
    return rangeItems(range, call);
  } catch (error) {
    if (!(error instanceof ExprFailure)) throw error;
    throw new ExprFailure(`Cannot coerce range_expr to list[int]: ${error.message}`, null, true);
  }
}

/** Returns a list whose items are known to fit the type, after a conversion of int to float or path to string. */
export function listAs(element: ResolvedType, items: readonly Value[], call: Call): ListValue {
  call.chargeSteps(items.length * STEPS_OF_COERCION);
  return listOfType(
    listType(element),
    items.map((item) => coerce(item, element, call)),
  );
}

const cannotCoerce = (type: ExprType, target: ExprType): ExprFailure =>
  new ExprFailure(`Cannot coerce ${type.text} to ${target.text}`);
