import { ExprFailure } from '../expr-failure.ts';
import type { LibraryFunction } from '../functions/library.ts';
import type { Signature } from '../functions/signature.ts';
import {
  alternatives,
  ANY,
  FLOAT,
  INT,
  listType,
  NULLTYPE,
  PATH,
  STRING,
  unionOfResolved,
  type ExprType,
  type ResolvedType,
  resolvedType,
} from '../type-system/expr-type.ts';
import { matches, satisfies, substitute, type Bindings } from '../type-system/type-match.ts';
import { coercedType } from '../values/coerce.ts';

/** The signature of a call, and the types to which arguments are coerced first; null if an argument is not coerced. */
export interface ResolvedOverload {
  readonly signature: Signature;
  readonly coercions: readonly (ResolvedType | null)[] | null;
  readonly returns: ResolvedType;
}

const LIST_OF_INT = listType(INT);

/** Maximum number of combinations of unresolved arguments' alternatives; a call with more has an unknown type. */
export const MAX_COMBINATIONS = 256;

/**
 * Resolves the signature for resolved argument types without unions (sections 1.2.3 and 1.2.4).
 * In order of preference:
 * - the signature with exactly these types
 * - the one with the fewest coercions of int to float and path to string
 * - one with type variables
 * - in a call by name, the only one with this many parameters, by any lossless coercion
 *
 * The receiver of a method is never coerced. Returns null if there is no signature.
 */
export function resolveOverload(
  called: LibraryFunction,
  types: readonly ResolvedType[],
  isMethod: boolean,
): ResolvedOverload | null {
  const fitting = called.signatures.filter((signature) => signature.parameters.length === types.length);
  const plain = fitting.filter((signature) => !signature.generic);
  for (const signature of plain) {
    if (signature.parameters.every(({ type }, index) => satisfies(types[index] ?? ANY, type))) {
      return chosen(signature, types, null, new Map());
    }
  }
  return (
    widened(plain, types, isMethod) ??
    generic(fitting, types) ??
    (called.name.startsWith('__') ? null : coerced(fitting, types, isMethod))
  );
}

function chosen(
  signature: Signature,
  types: readonly ResolvedType[],
  coercions: readonly (ResolvedType | null)[] | null,
  bindings: Bindings,
): ResolvedOverload | null {
  const returns = signature.infer === null ? substitute(signature.returns, bindings) : signature.infer(types);
  return returns === null ? null : { signature, coercions, returns: resolvedType(returns) };
}

function widened(
  signatures: readonly Signature[],
  types: readonly ResolvedType[],
  isMethod: boolean,
): ResolvedOverload | null {
  let best: ResolvedOverload | null = null;
  let fewest = Infinity;
  for (const signature of signatures) {
    const coercions = signature.parameters.map(({ type }, index) => {
      const given = types[index] ?? ANY;
      if (satisfies(given, type)) return null;
      return (index > 0 || !isMethod) && widens(given, type) ? resolvedType(type) : undefined;
    });
    if (!isComplete(coercions)) continue;
    const count = coercions.filter((coercion) => coercion !== null).length;
    if (count < fewest) {
      fewest = count;
      best = chosen(signature, types, coercions, new Map());
    }
  }
  return best;
}

const isComplete = <Item>(items: readonly (Item | undefined)[]): items is readonly Item[] =>
  !items.includes(undefined);

/**
 * Reports whether every value of the type becomes one of the parameter's type by widening, for lists element by
 * element.
 */
function widens(type: ResolvedType, parameter: ExprType): boolean {
  if (type === INT) return parameter === FLOAT;
  if (type === PATH) return parameter === STRING;
  if (type.kind !== 'list' || parameter.kind !== 'list') return false;
  return type.element === NULLTYPE || widens(type.element, parameter.element);
}

function generic(signatures: readonly Signature[], types: readonly ResolvedType[]): ResolvedOverload | null {
  for (const signature of signatures) {
    if (!signature.generic) continue;
    const bindings: Bindings = new Map();
    if (!signature.parameters.every(({ type }, index) => matches(type, types[index] ?? ANY, bindings)))
      continue;
    const found = chosen(signature, types, null, bindings);
    if (found !== null) return found;
  }
  return null;
}

function coerced(
  signatures: readonly Signature[],
  types: readonly ResolvedType[],
  isMethod: boolean,
): ResolvedOverload | null {
  const [only] = signatures;
  if (only === undefined || signatures.length > 1) return null;
  const list = types.map((type, index) =>
    coercionTo(type, only.parameters[index]?.type ?? ANY, isMethod && index === 0),
  );
  if (!isComplete(list)) return null;
  const bindings: Bindings = new Map();
  const after = types.map((type, index) => list[index] ?? type);
  if (!only.parameters.every(({ type }, index) => matches(type, after[index] ?? ANY, bindings))) return null;
  return chosen(only, after, list, bindings);
}

/** Returns the type to which an argument is coerced, null if it is not coerced, or undefined if it cannot be. */
function coercionTo(
  type: ResolvedType,
  parameter: ExprType,
  isReceiver: boolean,
): ResolvedType | null | undefined {
  if (matches(parameter, type, new Map())) return null;
  if (isReceiver) return undefined;
  // A range is accepted as a list of ints.
  if (type.kind === 'range_expr' && parameter.kind === 'list' && parameter.element.kind === 'variable') {
    return LIST_OF_INT;
  }
  return coercedType(type, parameter) === null ? undefined : resolvedType(parameter);
}

/**
 * Returns the type of a call with partly unresolved arguments: the union over all combinations of their alternatives,
 * or null if no combination has a signature. Fails if all combinations that have one always fail.
 */
export function returnType(
  called: LibraryFunction,
  types: readonly ExprType[],
  isMethod: boolean,
): ResolvedType | null {
  const results: ResolvedType[] = [];
  const failures: ExprFailure[] = [];
  const combinations = combine(types.map((type) => alternatives(resolvedType(type))));
  if (combinations === null) return ANY;
  for (const combination of combinations) {
    try {
      if (combination.includes(ANY)) results.push(...whateverMatches(called, combination));
      else {
        const found = resolveOverload(called, combination, isMethod);
        if (found !== null) results.push(found.returns);
      }
    } catch (error) {
      if (!(error instanceof ExprFailure)) throw error;
      failures.push(error);
    }
  }
  if (results.length > 0) return unionOfResolved(results);
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return null;
}

/** With an argument of an unknown type, every signature that could match counts. */
function whateverMatches(called: LibraryFunction, types: readonly ResolvedType[]): ResolvedType[] {
  return called.signatures.flatMap((signature) => {
    if (signature.parameters.length !== types.length) return [];
    const bindings: Bindings = new Map();
    const fits = signature.parameters.every(({ type }, index) => {
      const given = types[index] ?? ANY;
      return matches(type, given, bindings) || widens(given, type);
    });
    if (!fits) return [];
    return signature.infer === null ? [resolvedType(substitute(signature.returns, bindings))] : [ANY];
  });
}

/** Returns every way to take one item of each list, or null if there are too many. */
export function combine<Item>(choices: readonly (readonly Item[])[]): readonly (readonly Item[])[] | null {
  let combinations: readonly (readonly Item[])[] = [[]];
  for (const choice of choices) {
    if (combinations.length * choice.length > MAX_COMBINATIONS) return null;
    combinations = combinations.flatMap((combination) => choice.map((item) => [...combination, item]));
  }
  return combinations;
}
