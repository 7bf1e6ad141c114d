import {
  alternatives,
  ANY,
  listOf,
  listType,
  NULLTYPE,
  resolvedType,
  unionOf,
  unionOfResolved,
  type ExprType,
  type ResolvedType,
  type VariableName,
} from './expr-type.ts';

/** Reports whether a target denotes a set of values: type variables, `noreturn` and `unresolved` do not. */
function isValueSet(target: ExprType): boolean {
  switch (target.kind) {
    case 'variable':
    case 'noreturn':
    case 'unresolved':
      return false;
    case 'list':
      return isValueSet(target.element);
    default:
      return true;
  }
}

/** Reports whether every value of the type is also one of the target (section 1.3.1), without coercion. */
export function satisfies(type: ExprType, target: ExprType): boolean {
  if (!isValueSet(target)) return false;
  if (type === target || target === ANY) return true;
  if (type.kind === 'unresolved') return satisfies(type.of, target);
  if (type.kind === 'union') return type.members.every((member) => satisfies(member, target));
  if (target.kind === 'union') return target.members.some((member) => satisfies(type, member));
  if (type.kind === 'list' && target.kind === 'list') return satisfies(type.element, target.element);
  return false;
}

/** Types of the variables of a signature. */
export type Bindings = Map<VariableName, ResolvedType>;

/**
 * Reports whether some value of the argument's type may be one of the parameter's. Binds the type variables of the
 * parameter; a bound variable must match the same type again.
 */
export function matches(parameter: ExprType, argument: ExprType, bindings: Bindings): boolean {
  if (parameter.kind === 'unresolved') return matches(parameter.of, argument, bindings);
  if (argument.kind === 'unresolved') return matches(parameter, argument.of, bindings);
  if (argument.kind === 'variable') {
    if (parameter.kind === 'variable') return bind(parameter.name, ANY, bindings);
    return parameter === ANY && bind(argument.name, ANY, bindings);
  }
  if (parameter.kind === 'variable') return bind(parameter.name, argument, bindings);
  if (parameter === argument || parameter === ANY || argument === ANY) return true;
  if (parameter.kind === 'union') {
    // An alternative that is a plain member must not bind a variable of the same union.
    if (parameter.members.some((member) => member.kind !== 'variable' && matches(member, argument, bindings)))
      return true;
    return parameter.members.some(
      (member) => member.kind === 'variable' && matches(member, argument, bindings),
    );
  }
  if (argument.kind === 'union')
    return argument.members.some((member) => matches(parameter, member, bindings));
  if (parameter.kind === 'list' && argument.kind === 'list') {
    return matches(parameter.element, argument.element, bindings);
  }
  return false;
}

function bind(name: VariableName, type: ResolvedType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined) {
    bindings.set(name, type);
    return true;
  }
  return bound === type || bound === ANY || type === ANY;
}

/** Returns the type with its variables replaced; an unbound variable is `any`. */
export function substitute(type: ExprType, bindings: Bindings): ExprType {
  switch (type.kind) {
    case 'variable':
      return bindings.get(type.name) ?? ANY;
    case 'list':
      return listOf(substitute(type.element, bindings));
    case 'union':
      return unionOf(type.members.map((member) => substitute(member, bindings)));
    default:
      return type;
  }
}

/**
 * Returns the element type of a list of values of these types (section 1.2.6): the same type, `float` for ints and
 * floats, `string` for paths and strings, and the same one level deeper. Null if there is none.
 */
export function commonElement(types: readonly ResolvedType[]): ResolvedType | null {
  const distinct = [...new Set(types)];
  const [first] = distinct;
  if (first === undefined) return NULLTYPE;
  if (distinct.length === 1) return first;
  if (distinct.every((type) => type.kind === 'int' || type.kind === 'float')) return named(distinct, 'float');
  if (distinct.every((type) => type.kind === 'path' || type.kind === 'string'))
    return named(distinct, 'string');
  const elements: ResolvedType[] = [];
  for (const type of distinct) {
    if (type.kind !== 'list') return null;
    if (type.element !== NULLTYPE) elements.push(type.element);
  }
  const element = commonElement(elements);
  return element === null ? null : listType(element);
}

const named = (types: readonly ResolvedType[], kind: 'float' | 'string'): ResolvedType | null =>
  types.find((type) => type.kind === kind) ?? null;

/**
 * Returns the alternatives of an element when the type is iterated: the element type of a list, int for a range_expr.
 * Null if it is not iterable.
 */
export function elementOf(type: ExprType, int: ResolvedType): ResolvedType | null {
  const elements: ResolvedType[] = [];
  for (const member of alternatives(resolvedType(type))) {
    if (member.kind === 'list') elements.push(member.element);
    else if (member.kind === 'range_expr') elements.push(int);
    else if (member === ANY) return ANY;
  }
  return elements.length === 0 ? null : unionOfResolved(elements);
}
