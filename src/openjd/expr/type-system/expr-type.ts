/**
 * Types of the expression language (specification "Expression Language", section 1.2). Equal types are the same object.
 * `text` is the notation of the specification.
 */
export type ExprType = ResolvedType | UnresolvedType;

export type ResolvedType = BasicType | ListType | UnionType | VariableType;

export type BasicName =
  | 'bool'
  | 'int'
  | 'float'
  | 'string'
  | 'path'
  | 'range_expr'
  | 'nulltype'
  | 'any'
  | 'noreturn';

export interface BasicType {
  readonly kind: BasicName;
  readonly text: string;
}

export interface ListType {
  readonly kind: 'list';
  readonly element: ResolvedType;
  readonly text: string;
}

export interface UnionType {
  readonly kind: 'union';
  /** At least two, without unions, ordered by text, with nulltype last. */
  readonly members: readonly ResolvedType[];
  readonly text: string;
}

/** An unknown value that will have the type. Never inside another type. */
export interface UnresolvedType {
  readonly kind: 'unresolved';
  readonly of: ResolvedType;
  readonly text: string;
}

export type VariableName = 'T' | 'T1' | 'T2' | 'T3';

/** A variable of a signature, bound by the arguments of a call. */
export interface VariableType {
  readonly kind: 'variable';
  readonly name: VariableName;
  readonly text: VariableName;
}

const basic = (kind: BasicName): BasicType => ({ kind, text: kind });
const variable = (name: VariableName): VariableType => ({ kind: 'variable', name, text: name });

export const BOOL = basic('bool');
export const INT = basic('int');
export const FLOAT = basic('float');
export const STRING = basic('string');
export const PATH = basic('path');
export const RANGE_EXPR = basic('range_expr');
export const NULLTYPE = basic('nulltype');
export const ANY = basic('any');
const NORETURN = basic('noreturn');

/** Types that are written as a single name. */
export const NAMED_TYPES: ReadonlyMap<string, ResolvedType> = new Map(
  [
    ...[BOOL, INT, FLOAT, STRING, PATH, RANGE_EXPR, NULLTYPE, ANY, NORETURN],
    ...(['T', 'T1', 'T2', 'T3'] as const).map(variable),
  ].map((type) => [type.text, type]),
);

/** Maximum text of a union; beyond it the type is unknown, because nested unions would double it each time. */
const MAX_UNION_TEXT = 1000;
/** Unions with a text up to this length are few enough to be kept permanently. */
const MAX_KEPT_TEXT = 64;

// Equal types are identical: one list and one unresolved type for each type, and one union for each text.
const lists = new WeakMap<ResolvedType, ListType>();
const notKnown = new WeakMap<ResolvedType, UnresolvedType>();
const unions = new Map<string, UnionType>();
/** Longer unions, while they are in use: expressions can make any number of them. */
const longUnions = new Map<string, WeakRef<UnionType>>();
const forgotten = new FinalizationRegistry<string>((text) => {
  if (longUnions.get(text)?.deref() === undefined) longUnions.delete(text);
});

function unionType(members: readonly ResolvedType[], text: string): ResolvedType {
  if (text.length > MAX_UNION_TEXT) return ANY;
  const known = unions.get(text) ?? longUnions.get(text)?.deref();
  if (known !== undefined) return known;
  const made: UnionType = { kind: 'union', members, text };
  if (text.length <= MAX_KEPT_TEXT) unions.set(text, made);
  else {
    longUnions.set(text, new WeakRef(made));
    forgotten.register(made, text);
  }
  return made;
}

/** `list[element]`; an unresolved element makes the list unresolved. */
export const listOf = (element: ExprType): ListType | UnresolvedType =>
  element.kind === 'unresolved' ? unresolved(listType(element.of)) : listType(element);

export function listType(element: ResolvedType): ListType {
  let list = lists.get(element);
  if (list === undefined) {
    list = { kind: 'list', element, text: `list[${element.text}]` };
    lists.set(element, list);
  }
  return list;
}

/** Returns `unresolved[of]`; nested ones are flattened. */
export function unresolved(of: ExprType): UnresolvedType {
  if (of.kind === 'unresolved') return of;
  let type = notKnown.get(of);
  if (type === undefined) {
    type = { kind: 'unresolved', of, text: of === ANY ? 'unresolved' : `unresolved[${of.text}]` };
    notKnown.set(of, type);
  }
  return type;
}

/** Returns the type without `unresolved`. */
export const resolvedType = (type: ExprType): ResolvedType => (type.kind === 'unresolved' ? type.of : type);

/** Returns the alternatives of a type: the members of a union, else the type itself. */
export const alternatives = (type: ResolvedType): readonly ResolvedType[] =>
  type.kind === 'union' ? type.members : [type];

/**
 * Returns the union of types in its normal form: flat, without repetitions. `any` absorbs all others, `noreturn` is
 * removed, a single member is returned itself, and an unresolved member makes the whole union unresolved. A union with
 * a too long text is `any`.
 */
export function unionOf(types: readonly ExprType[]): ExprType {
  const union = unionOfResolved(types.map(resolvedType));
  return types.some((type) => type.kind === 'unresolved') ? unresolved(union) : union;
}

export function unionOfResolved(types: readonly ResolvedType[]): ResolvedType {
  const members = new Set<ResolvedType>(types.flatMap(alternatives));
  if (members.has(ANY)) return ANY;
  members.delete(NORETURN);
  if (members.size === 0) return NORETURN;
  const optional = members.delete(NULLTYPE);
  const sorted = [...members].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  const [only] = sorted;
  if (only === undefined) return NULLTYPE;
  if (sorted.length === 1) {
    if (!optional) return only;
    return unionType([only, NULLTYPE], `${only.text}?`);
  }
  const all = optional ? [...sorted, NULLTYPE] : sorted;
  return unionType(all, all.map((member) => member.text).join(' | '));
}

/** Reports whether a type variable occurs in the type. */
export function isGeneric(type: ExprType): boolean {
  switch (type.kind) {
    case 'variable':
      return true;
    case 'list':
      return isGeneric(type.element);
    case 'union':
      return type.members.some(isGeneric);
    case 'unresolved':
      return isGeneric(type.of);
    default:
      return false;
  }
}
