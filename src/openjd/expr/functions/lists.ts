import { ExprFailure } from '../expr-failure.ts';
import {
  INT,
  listOf,
  listType,
  NULLTYPE,
  type ExprType,
  type ResolvedType,
} from '../type-system/expr-type.ts';
import { commonElement } from '../type-system/type-match.ts';
import { boolValue, countOf, intValue, listValue, rangeValue } from '../values/arguments.ts';
import { listAs } from '../values/coerce.ts';
import { equals, order } from '../values/compare.ts';
import { rangeItems } from '../values/range-items.ts';
import { intOf, listBytes, listOfType, type ListValue, type Value } from '../values/value.ts';
import { overflow } from './arithmetic.ts';
import type { Call } from './call.ts';
import { indexOf, outOfBounds, sliceBounds } from './indexing.ts';
import { signature, type FunctionGroup, type Inference, type Run } from './signature.ts';
import { distinct } from './unique.ts';

const LIST_OF_INT = listType(INT);

/** Returns a list of the same type with other items. */
const likewise = (list: ListValue, items: readonly Value[]): ListValue => listOfType(list.type, items);

/** Infers the type of two concatenated lists (section 2.1.3). */
const joinedType: Inference = (types) => {
  const elements: ResolvedType[] = [];
  for (const type of types) {
    const element = elementType(type);
    if (element === null) return null;
    if (element !== NULLTYPE) elements.push(element);
  }
  const common = commonElement(elements);
  return common === null ? null : listOf(common);
};

function elementType(type: ExprType): ResolvedType | null {
  if (type.kind === 'list') return type.element;
  return type.kind === 'range_expr' ? INT : null;
}

const concatenated: Run = (call, a, b) => {
  const parts = [a, b].map((value) => itemsOf(value, call));
  const count = parts.reduce((sum, part) => sum + part.items.length, 0);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  call.charge(count);
  call.reserve(bytes);
  const elements = parts.map((part) => part.element).filter((element) => element !== NULLTYPE);
  const common = commonElement(elements);
  if (common === null) throw new ExprFailure('Cannot concatenate lists of different types');
  const items = parts.flatMap((part) => part.items);
  return elements.every((element) => element === common)
    ? listOfType(listType(common), items)
    : listAs(common, items, call);
};

function itemsOf(
  value: Value,
  call: Call,
): { items: readonly Value[]; element: ResolvedType; bytes: number } {
  if (typeof value === 'object' && value?.kind === 'range') {
    const items = rangeItems(value, call);
    return { items, element: INT, bytes: listBytes(items.length) };
  }
  const list = listValue(value);
  return { items: list.items, element: list.type.element, bytes: list.bytes };
}

/** A greater length is not an int. */
const MAX_LENGTH = 2 ** 63;

const repeated: Run = (call, a, n) => {
  const list = listValue(a);
  const times = Math.max(0, countOf(n));
  const count = list.items.length === 0 ? 0 : list.items.length * times;
  if (count > MAX_LENGTH) throw overflow();
  call.reserve(listBytes(0) + (list.items.length === 0 ? 0 : (list.bytes - listBytes(0)) * times));
  call.charge(list.items.length + count);
  const items: Value[] = [];
  // One by one: a list can have more elements than a call can have arguments.
  while (items.length < count) for (const item of list.items) items.push(item);
  return likewise(list, items);
};

const contains: Run = (call, list, item) => {
  const { items } = listValue(list);
  call.charge(items.length);
  return items.some((candidate) => equals(candidate, item, call));
};

const element: Run = (_call, list, index) => {
  const { items } = listValue(list);
  const at = indexOf(index, items.length);
  const item = at === null ? undefined : items[at];
  if (item === undefined) throw outOfBounds(index, 'list', items.length);
  return item;
};

const sliced: Run = (call, a, start, stop, step) => {
  const list = listValue(a);
  const bounds = sliceBounds(start, stop, step, list.items.length);
  call.charge(bounds.count);
  const items: Value[] = [];
  for (let index = 0; index < bounds.count; index++) {
    items.push(list.items[bounds.start + index * bounds.step] ?? null);
  }
  return likewise(list, items);
};

/** Steps to compare two elements in a sort. */
const STEPS_OF_COMPARISON = 3;

const sorted: Run = (call, a) => {
  const list = listValue(a);
  call.chargeEach(list.items.length);
  call.reserve(list.bytes);
  // A stable sort makes at most n log n comparisons. Each comparison also charges the text or elements that it reads.
  call.chargeSteps(list.items.length * (32 - Math.clz32(list.items.length)) * STEPS_OF_COMPARISON);
  return likewise(
    list,
    list.items.toSorted((one, other) => {
      const found = order(one, other, call);
      if (found === null) throw new ExprFailure(`Cannot sort values of type ${list.type.element.text}`);
      return found;
    }),
  );
};

const reversed: Run = (call, a) => {
  const list = listValue(a);
  call.chargeEach(list.items.length);
  call.reserve(list.bytes);
  return likewise(list, list.items.toReversed());
};

/** Steps to search an element among the previous ones. */
const STEPS_OF_KEY = 24;

const unique: Run = (call, a) => {
  const list = listValue(a);
  call.chargeEach(list.items.length);
  call.chargeSteps(list.items.length * STEPS_OF_KEY);
  call.reserve(list.bytes);
  return likewise(list, distinct(list.items, call));
};

const flattened: Run = (call, a) => {
  const list = listValue(a);
  call.chargeEach(list.items.length);
  const { element } = list.type;
  if (element.kind !== 'list') return list;
  const inner = list.items.map(listValue);
  call.charge(inner.reduce((sum, { items }) => sum + items.length, 0));
  call.reserve(inner.reduce((sum, { bytes }) => sum + bytes, 0));
  return listOfType(
    element,
    inner.flatMap(({ items }) => items),
  );
};

const flattenedType: Inference = ([type]) => {
  if (type?.kind !== 'list') return null;
  return type.element.kind === 'list' ? type.element : type;
};

function integers(
  call: Call,
  start: number | bigint,
  stop: number | bigint,
  step: number | bigint,
): ListValue {
  if (step === 0) throw new ExprFailure('range() step cannot be zero');
  const [from, to, by] = [BigInt(start), BigInt(stop), BigInt(step)];
  const distance = by > 0n ? to - from : from - to;
  const stride = by > 0n ? by : -by;
  const count = distance <= 0n ? 0n : (distance + stride - 1n) / stride;
  call.chargeEach(Number(count));
  call.reserve(listBytes(Number(count)));
  const items: Value[] = [];
  const last = Number(from) + Number(by) * Number(count);
  if (typeof start === 'number' && typeof step === 'number' && Number.isSafeInteger(last)) {
    for (let index = 0, at = start; index < count; index++, at += step) items.push(at);
  } else {
    for (let index = 0n, at = from; index < count; index++, at += by) items.push(intOf(at));
  }
  return listOfType(LIST_OF_INT, items);
}

const overBools =
  (work: (items: readonly Value[]) => boolean): Run =>
  (call, a) => {
    const { items } = listValue(a);
    call.charge(items.length);
    return work(items);
  };

export const LIST_OPERATORS: FunctionGroup = {
  title: 'List operators',
  hostOnly: false,
  signatures: [
    signature(
      '__add__(a: list[T1], b: list[T2]) -> list[T3]',
      '`a + b`: one after the other; ints become floats and paths strings where the other has them.',
      concatenated,
      joinedType,
    ),
    signature('__add__(a: range_expr, b: list[T1]) -> list[T2]', '`a + b`.', concatenated, joinedType),
    signature('__add__(a: list[T1], b: range_expr) -> list[T2]', '`a + b`.', concatenated, joinedType),
    signature('__add__(a: range_expr, b: range_expr) -> list[int]', '`a + b`.', concatenated),
    signature(
      '__mul__(a: list[T], n: int) -> list[T]',
      '`a * n`: repeated; empty when `n` is negative.',
      repeated,
    ),
    signature('__contains__(list: list[T1], item: T2) -> bool', '`item in list`.', contains),
    signature(
      '__not_contains__(list: list[T1], item: T2) -> bool',
      '`item not in list`.',
      (call, list, item) => contains(call, list, item, null, null) !== true,
    ),
    signature(
      '__getitem__(list: list[T], index: int) -> T',
      '`list[index]`, from the end when negative; an error when out of bounds.',
      element,
    ),
    signature(
      '__getitem__(list: list[T], start: int?, stop: int?, step: int?) -> list[T]',
      '`list[start:stop:step]`.',
      sliced,
    ),
  ],
};

export const LISTS: FunctionGroup = {
  title: 'List functions',
  hostOnly: false,
  signatures: [
    signature(
      'range(stop: int) -> list[int]',
      'The integers from 0 up to and without `stop`.',
      (call, stop) => integers(call, 0, intValue(stop), 1),
    ),
    signature(
      'range(start: int, stop: int) -> list[int]',
      'The integers from `start` up to and without `stop`.',
      (call, start, stop) => integers(call, intValue(start), intValue(stop), 1),
    ),
    signature(
      'range(start: int, stop: int, step: int) -> list[int]',
      'Every `step`-th of them; downward when `step` is negative.',
      (call, start, stop, step) => integers(call, intValue(start), intValue(stop), intValue(step)),
    ),
    signature(
      'flatten(lists: list[T]) -> list[T]',
      'The elements of the lists in a list, one after the other; a flat list is unchanged.',
      flattened,
      flattenedType,
    ),
    signature(
      'sorted(values: list[T]) -> list[T]',
      'In ascending order; equal elements keep their order.',
      sorted,
    ),
    signature('reversed(values: list[T]) -> list[T]', 'In reverse order.', reversed),
    signature(
      'unique(values: list[T]) -> list[T]',
      'Without repetitions; the first of equal elements stays.',
      unique,
    ),
    signature(
      'any(values: list[bool]) -> bool',
      'True if an element is true; false for an empty list.',
      overBools((items) => items.some(boolValue)),
    ),
    signature(
      'all(values: list[bool]) -> bool',
      'True if every element is true; true for an empty list.',
      overBools((items) => items.every(boolValue)),
    ),
    signature('list(value: range_expr) -> list[int]', 'The integers of a range as a list.', (call, value) =>
      listOfType(LIST_OF_INT, rangeItems(rangeValue(value), call)),
    ),
    signature(
      'len(list: list[T]) -> int',
      'The number of elements.',
      (_call, list) => listValue(list).items.length,
    ),
  ],
};
