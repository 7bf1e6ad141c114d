import { nearest } from '../../primitives/nearest.ts';
import { ExprFailure } from '../expr-failure.ts';
import type { Call } from '../functions/call.ts';
import {
  CALLABLE_NAMES,
  FUNCTIONS,
  PROPERTY_NAMES,
  propertyFunction,
  type LibraryFunction,
} from '../functions/library.ts';
import { isGeneric, resolvedType, type ExprType } from '../type-system/expr-type.ts';

/** Notation of an operation, for the message if no signature accepts its operands. */
export type Written =
  | { readonly kind: 'operator'; readonly symbol: string; readonly swapped?: boolean }
  | { readonly kind: 'subscript' }
  | { readonly kind: 'slice' }
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'method'; readonly name: string };

/** Returns the failure of a call if no signature of the function accepts arguments of these types. */
export function mismatch(written: Written, called: LibraryFunction, types: readonly ExprType[]): ExprFailure {
  const given = types.map((type) => resolvedType(type).text);
  switch (written.kind) {
    case 'operator': {
      const operands = written.swapped === true ? given.toReversed() : given;
      return new ExprFailure(`Cannot use '${written.symbol}' operator with ${operands.join(' and ')}`);
    }
    case 'subscript':
    case 'slice':
      return notSubscriptable(written.kind, called, types, given);
    case 'property':
      return new ExprFailure(
        `'${written.name}' property is not available for ${given[0]}. Available for: ${receivers(called)}`,
      );
    case 'method':
    case 'function':
      return noSignature(written, called, types, given);
  }
}

function notSubscriptable(
  kind: 'subscript' | 'slice',
  called: LibraryFunction,
  types: readonly ExprType[],
  given: readonly string[],
): ExprFailure {
  const [base] = types;
  if (base !== undefined && !takesFirst(called, base))
    return new ExprFailure(`Cannot subscript type ${given[0]}`);
  return new ExprFailure(
    kind === 'subscript'
      ? `Index must be an integer, got ${given[1]}`
      : `Slice bounds must be integers, got ${given
          .slice(1)
          .filter((type) => type !== 'nulltype')
          .join(', ')}`,
  );
}

function noSignature(
  written: { readonly kind: 'function' | 'method'; readonly name: string },
  called: LibraryFunction,
  types: readonly ExprType[],
  given: readonly string[],
): ExprFailure {
  const [receiver] = types;
  if (written.kind === 'method' && receiver !== undefined && !takesFirst(called, receiver)) {
    return new ExprFailure(
      `${written.name}() is not available for ${given[0]}. Available for: ${receivers(called)}`,
    );
  }
  const counts = [...new Set(called.signatures.map(({ parameters }) => parameters.length))].sort(
    (a, b) => a - b,
  );
  if (!counts.includes(types.length)) {
    return new ExprFailure(
      `${written.name}() takes ${counts.join(' or ')} argument(s), but ${types.length} were given`,
    );
  }
  return new ExprFailure(`No matching signature for ${written.name}(${given.join(', ')})`);
}

/** Reports whether a signature accepts a value of the type as its first argument without coercion. */
function takesFirst(called: LibraryFunction, type: ExprType): boolean {
  const { kind } = resolvedType(type);
  return called.signatures.some(({ parameters }) => {
    const first = parameters[0]?.type;
    if (first === undefined) return false;
    if (first.kind === 'variable' || kind === 'any' || kind === 'union') return true;
    return first === resolvedType(type) || (first.kind === 'list' && kind === 'list' && isGeneric(first));
  });
}

/** Lists the types that the function accepts as its first argument. */
const receivers = (called: LibraryFunction): string =>
  [...new Set(called.signatures.flatMap(({ parameters }) => parameters[0]?.type.text ?? []))].join(', ');

/** Returns the failure of `base.name`, where the base is a value of the type. */
export function noAttribute(name: string, type: ExprType, call: Call): ExprFailure {
  if (FUNCTIONS.has(name)) {
    return new ExprFailure(`'${name}' is a method, not a property. Did you mean ${name}()?`);
  }
  const near = didYouMean(name, PROPERTY_NAMES, call);
  return new ExprFailure(`Cannot access attribute '${name}' on ${resolvedType(type).text}${near}`);
}

/** Returns the failure of `name(…)` and `x.name(…)`. */
export function unknownFunction(
  name: string,
  isMethod: boolean,
  hostFunctions: boolean,
  call: Call | null,
): ExprFailure {
  if (isMethod && FUNCTIONS.has(propertyFunction(name))) {
    return new ExprFailure(`'${name}' is a property, not a method. Use .${name} instead of .${name}()`);
  }
  if (FUNCTIONS.get(name)?.hostOnly === true) {
    return new ExprFailure(`Unknown function: '${name}'`);
  }
  const known = CALLABLE_NAMES.filter((each) => hostFunctions || FUNCTIONS.get(each)?.hostOnly !== true);
  const here = OF_PYTHON.get(name);
  const near = here === undefined ? didYouMean(name, known, call) : `. Did you mean: ${here}`;
  return new ExprFailure(`Unknown function: '${name}'${near}`);
}

/** Functions of Python by the name that they have here. */
const OF_PYTHON: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['repr', 'repr_py'],
  ['Path', 'path'],
]);

const MIN_WORD = 3;

/**
 * Returns `. Did you mean: x` if a candidate is near, or an empty text. The search is charged to the evaluation; null
 * if there is none.
 */
export function didYouMean(word: string, candidates: Iterable<string>, call: Call | null): string {
  // Every word of up to three letters is near some name.
  const near = word.length <= MIN_WORD || call?.maySuggest() === false ? null : nearest(word, candidates);
  return near === null ? '' : `. Did you mean: ${near}`;
}
