import { ARITHMETIC } from './arithmetic.ts';
import { COMPARISON } from './comparison.ts';
import { GENERAL } from './general.ts';
import { LIST_OPERATORS, LISTS } from './lists.ts';
import { MATH } from './math.ts';
import { PATHS, PATH_MAPPING } from './paths.ts';
import { RANGES } from './ranges.ts';
import { REGEX } from './regex.ts';
import { REPRESENTATION } from './representation.ts';
import type { FunctionGroup, Signature } from './signature.ts';
import { STRING_OPERATORS, STRINGS } from './strings.ts';

/** The function library (specification, part 2), in the order of the reference page. */
export const LIBRARY: readonly FunctionGroup[] = [
  ARITHMETIC,
  COMPARISON,
  STRING_OPERATORS,
  LIST_OPERATORS,
  GENERAL,
  MATH,
  LISTS,
  RANGES,
  STRINGS,
  REGEX,
  REPRESENTATION,
  PATHS,
  PATH_MAPPING,
];

/** Entry of a library name. */
export interface LibraryFunction {
  readonly name: string;
  readonly signatures: readonly Signature[];
  readonly hostOnly: boolean;
}

/** Functions, operators and properties by name. */
export const FUNCTIONS: ReadonlyMap<string, LibraryFunction> = byName();

function byName(): Map<string, LibraryFunction> {
  const functions = new Map<string, { name: string; signatures: Signature[]; hostOnly: boolean }>();
  for (const { signatures, hostOnly } of LIBRARY) {
    for (const signature of signatures) {
      const known = functions.get(signature.name);
      if (known === undefined)
        functions.set(signature.name, { name: signature.name, signatures: [signature], hostOnly });
      else known.signatures.push(signature);
    }
  }
  return functions;
}

const PROPERTY = /^__property_(.+)__$/;

/** Returns the function name of a property. */
export const propertyFunction = (property: string): string => `__property_${property}__`;

/** Functions that can be called by name, without operators and properties. */
export const CALLABLE_NAMES: readonly string[] = [...FUNCTIONS.keys()].filter(
  (name) => !name.startsWith('__'),
);

export const PROPERTY_NAMES: readonly string[] = [...FUNCTIONS.keys()].flatMap(
  (name) => PROPERTY.exec(name)?.[1] ?? [],
);
