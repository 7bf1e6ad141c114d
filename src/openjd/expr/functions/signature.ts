import type { ExprFailure } from '../expr-failure.ts';
import { isGeneric, type ExprType } from '../type-system/expr-type.ts';
import { parseType } from '../type-system/type-text.ts';
import { typeOf, type Value } from '../values/value.ts';
import type { Call } from './call.ts';

/**
 * Implementation of a function, called with arguments of the types of its signature, never unresolved ones. Arguments
 * beyond its parameters are null.
 *
 * The evaluator charges one operation for the call and the memory of the result, and adds the position to a failure.
 * The function charges the elements and text that it processes (`charge`, `chargeText`), and reserves memory for
 * results that can be larger than its arguments before it builds them. Fails only with ExprFailure.
 */
export type Run = (call: Call, a: Value, b: Value, c: Value, d: Value) => Value;

/**
 * One form of a function, operator or property. The type checker, the evaluator and the reference page use the same
 * table.
 */
export interface Signature {
  /** `__add__` for operators, `__property_name__` for properties. */
  readonly name: string;
  readonly parameters: readonly SignatureParameter[];
  readonly returns: ExprType;
  /** Notation of the signature in the reference: `len(s: string) -> int`. */
  readonly text: string;
  /** One sentence for the reference. */
  readonly doc: string;
  readonly generic: boolean;
  readonly run: Run;
  /** Infers the type of the result if type variables cannot express it; null if these types cannot be combined. */
  readonly infer: Inference | null;
}

export interface SignatureParameter {
  readonly name: string;
  readonly type: ExprType;
}

/** Fails with ExprFailure if a call with these types always fails, whatever its values are. */
export type Inference = (types: readonly ExprType[]) => ExprType | null;

/** Returns `run` and `infer` of a signature that has no value: a call is an error before its values are known. */
export function alwaysFails(failure: (types: readonly ExprType[]) => ExprFailure): readonly [Run, Inference] {
  return [
    (_call, a) => {
      throw failure([typeOf(a)]);
    },
    (types) => {
      throw failure(types);
    },
  ];
}

/** A group of functions that the reference shows together. */
export interface FunctionGroup {
  readonly title: string;
  /** Set if its functions exist only in host contexts (section 2.3.2, `apply_path_mapping`). */
  readonly hostOnly: boolean;
  readonly signatures: readonly Signature[];
}

const SHAPE = /^([A-Za-z_][A-Za-z0-9_]*)\((.*)\) -> (.+)$/;

/**
 * Parses a signature in the notation of the specification: `find(s: string, sub: string) -> int`. Throws for invalid
 * text: the tables are written by hand and read when the module is loaded.
 */
export function signature(text: string, doc: string, run: Run, infer: Inference | null = null): Signature {
  const [, name, list, result] = SHAPE.exec(text) ?? [];
  const returns = parseType(result ?? '');
  if (name === undefined || list === undefined || returns === null) throw new Error(`no signature: ${text}`);
  const parameters = list === '' ? [] : list.split(', ').map((parameter) => parameterOf(parameter, text));
  const generic = parameters.some(({ type }) => isGeneric(type));
  return { name, parameters, returns, text, doc, generic, run, infer };
}

function parameterOf(parameter: string, text: string): SignatureParameter {
  const colon = parameter.indexOf(': ');
  const type = parseType(parameter.slice(colon + 2));
  if (colon < 1 || type === null) throw new Error(`no parameter of a signature: ${parameter} in ${text}`);
  return { name: parameter.slice(0, colon), type };
}
