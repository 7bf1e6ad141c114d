import { ExprFailure } from '../expr-failure.ts';
import type { ComprehensionExpr, ListExpr, SourceSpan } from '../syntax/tree.ts';
import {
  alternatives,
  ANY,
  INT,
  listType,
  NULLTYPE,
  resolvedType,
  unionOfResolved,
  type ExprType,
  type ListType,
  type ResolvedType,
} from '../type-system/expr-type.ts';
import { commonElement, elementOf } from '../type-system/type-match.ts';
import { coerce, listAs } from '../values/coerce.ts';
import { integersOf, rangeLength } from '../values/range-items.ts';
import { listOfType, sizeOf, typeOf, unresolvedOf, type Value } from '../values/value.ts';
import { mayBeBool } from './branches.ts';
import { notBool } from './call-site.ts';
import { combine } from './dispatch.ts';
import { withSpan, type Frame, type Node } from './frame.ts';
import type { Scope } from './scope.ts';

/**
 * Returns the only list type of a target, ignoring `list[nulltype]`; null if there is no such type or more than one
 * (section 1.2.6).
 */
function listTarget(target: ExprType | null): ListType | null {
  if (target === null) return null;
  const lists = alternatives(resolvedType(target)).flatMap((member) =>
    member.kind === 'list' && member.element !== NULLTYPE && member.element !== ANY ? member : [],
  );
  return lists.length === 1 ? (lists[0] ?? null) : null;
}

/** Nodes charged for a list display in addition to two for each of its elements. */
const NODES_OF_LIST = 16;

export function listNode(expr: ListExpr, target: ExprType | null, scope: Scope): Node {
  const wanted = listTarget(target);
  const items = expr.items.map((item) => scope.compile(item, wanted?.element ?? null, scope));
  return (frame) => {
    const before = frame.call.memory;
    frame.call.chargeNodes(NODES_OF_LIST + 2 * items.length);
    try {
      return gathered(
        frame,
        before,
        items.map((item) => item(frame)),
        wanted,
      );
    } catch (error) {
      throw withSpan(error, expr);
    }
  };
}

/** Steps to find the type of a list, and for each of its elements. */
const LIST_STEPS = 40;
const ITEM_STEPS = 5;

/** Returns the list of evaluated elements: of the target type, or else of their common type. */
function gathered(frame: Frame, before: number, items: readonly Value[], wanted: ListType | null): Value {
  const { call } = frame;
  call.chargeSteps(LIST_STEPS + items.length * ITEM_STEPS);
  const [first] = items;
  const type = first === undefined ? NULLTYPE : typeOf(first);
  // The most frequent case: known elements of one type.
  if (
    wanted === null &&
    type.kind !== 'unresolved' &&
    type !== NULLTYPE &&
    !isTooDeep(type) &&
    items.every((item) => typeOf(item) === type)
  ) {
    const list = listOfType(listType(type), items);
    call.hold(before, list);
    return list;
  }
  if (items.includes(null)) throw nullElement();
  const values = wanted === null ? items : items.map((item) => coerce(item, wanted.element, call));
  const types = values.map(typeOf);
  let value: Value;
  if (types.some((type) => type.kind === 'unresolved')) {
    value = unresolvedOf(listType(wanted?.element ?? unknownElement(types)));
  } else {
    const distinct = [...new Set(types)].flatMap((type) => (type.kind === 'unresolved' ? [] : type));
    const element = wanted?.element ?? commonElement(distinct);
    if (element === null) throw incompatible(distinct, ' and ');
    if (isTooDeep(element)) throw tooDeep();
    value =
      wanted !== null || distinct.length <= 1
        ? listOfType(listType(element), values)
        : listAs(element, values, call);
  }
  call.hold(before, value);
  return value;
}

/** Returns the element type of a list with unresolved elements: the union of all candidates. */
function unknownElement(types: readonly ExprType[]): ResolvedType {
  const distinct = [...new Set(types.map(resolvedType))];
  if (distinct.includes(NULLTYPE)) throw nullElement();
  const combinations = combine(
    distinct.map((type) => alternatives(type).filter((each) => each !== NULLTYPE)),
  );
  if (combinations === null) return ANY;
  const found: ResolvedType[] = [];
  for (const combination of combinations) {
    const element = combination.includes(ANY) ? ANY : commonElement(combination);
    if (element !== null) found.push(element);
  }
  if (found.length === 0) throw incompatible(distinct, ', ');
  const shallow = found.filter((element) => !isTooDeep(element));
  if (shallow.length === 0) throw tooDeep();
  return unionOfResolved(shallow);
}

/** Reports whether a list of such elements has more than two levels (section 1.2.1). */
const isTooDeep = (element: ResolvedType): boolean =>
  element.kind === 'list' && element.element.kind === 'list';

const nullElement = (): ExprFailure => new ExprFailure('null is not allowed in list literals');

const tooDeep = (): ExprFailure => new ExprFailure('Lists may be nested at most 2 levels deep');

/** Lists the types as prose: `int and bool`, `int, float, and string`. */
function incompatible(types: readonly ResolvedType[], separator: ' and ' | ', '): ExprFailure {
  const texts = types.map((type) => type.text);
  const listed =
    texts.length < 3 ? texts.join(separator) : `${texts.slice(0, -1).join(', ')}, and ${texts.at(-1) ?? ''}`;
  return new ExprFailure(`List literal contains incompatible types: ${listed}`);
}

export function comprehensionNode(expr: ComprehensionExpr, target: ExprType | null, scope: Scope): Node {
  const wanted = listTarget(target);
  const slot = scope.locals.length;
  const inner: Scope = { ...scope, locals: [...scope.locals, expr.variable] };
  const iterable = scope.compile(expr.iterable, null, scope);
  const element = scope.compile(expr.element, wanted?.element ?? null, inner);
  const filter =
    expr.filter === null ? null : { node: scope.compile(expr.filter, null, inner), place: expr.filter };
  const shadows = scope.locals.includes(expr.variable);
  return (frame) => {
    const { call } = frame;
    if (shadows || frame.symbols.has(expr.variable)) throw shadowing(expr.variable, expr.variablePlace);
    const before = call.memory;
    const source = iterable(frame);
    try {
      const { items, isKnown } = iterated(source, frame);
      const values: Value[] = [];
      let held = call.memory;
      let isDecided = isKnown;
      for (const item of items) {
        call.memory = held;
        frame.locals[slot] = item;
        const kept = filter === null ? true : passes(frame, filter.node, filter.place);
        if (kept === null) isDecided = false;
        if (kept === false) continue;
        call.memory = held;
        const value = element(frame);
        held += sizeOf(value);
        values.push(value);
      }
      call.memory = held;
      const value = gathered(frame, before, values, wanted);
      if (isDecided) return value;
      const unknown = unresolvedOf(resolvedType(typeOf(value)));
      call.hold(before, unknown);
      return unknown;
    } catch (error) {
      throw withSpan(error, expr);
    }
  };
}

/** Returns the elements of a comprehension, or one unresolved element for all of them if they are unknown. */
function iterated(source: Value, { call }: Frame): { items: Iterable<Value>; isKnown: boolean } {
  if (typeof source === 'object' && source?.kind === 'list') {
    call.charge(source.items.length);
    return { items: source.items, isKnown: true };
  }
  if (typeof source === 'object' && source?.kind === 'range') {
    // The elements are never stored: the filter may keep only a few.
    call.chargeEach(rangeLength(source, call));
    return { items: integersOf(source), isKnown: true };
  }
  const type = typeOf(source);
  const element = type.kind === 'unresolved' ? elementOf(type, INT) : null;
  if (element === null) throw new ExprFailure(`Cannot iterate over ${resolvedType(type).text}`);
  return { items: [unresolvedOf(element)], isKnown: false };
}

/** Reports whether the filter keeps the element; null if that is unknown. */
function passes(frame: Frame, filter: Node, place: SourceSpan): boolean | null {
  const value = filter(frame);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object' && value?.kind === 'unresolved' && mayBeBool(value.type.of)) return null;
  throw notBoolFilter(value).at({ ...place, caret: place.start });
}

const notBoolFilter = (value: Value): ExprFailure => notBool('List comprehension filter', value);

/** Returns the failure of a comprehension variable with the name of another binding. */
export const shadowing = (variable: string, place: SourceSpan): ExprFailure =>
  new ExprFailure(`Loop variable '${variable}' shadows an existing binding`, place);
