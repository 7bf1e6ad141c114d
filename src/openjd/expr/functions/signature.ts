import type { ExprFailure } from '../expr-failure.ts';
import { isGeneric, type ExprType } from '../type-system/expr-type.ts';
import { parseType } from '../type-system/type-text.ts';
import { typeOf, type Value } from '../values/value.ts';
import type { Call } from './call.ts';

/**
 * What a function does, with arguments that have the types of its signature: never unresolved ones. Arguments beyond its parameters are null. The
 * evaluator has counted one operation for the call, counts the memory of the result, and adds the place to a failure; the function charges for the
 * elements and the text that it goes through (`charge`, `chargeText`), and reserves what can be larger than its arguments before it is built.
 * Fails with ExprFailure alone.
 */
export type Run = (call: Call, a: Value, b: Value, c: Value, d: Value) => Value;

/** One form of a function, operator or property: the type checker, the evaluator and the reference page read the same table. */
export interface Signature {
  /** `__add__` for operators, `__property_name__` for properties. */
  readonly name: string;
  readonly parameters: readonly SignatureParameter[];
  readonly returns: ExprType;
  /** How it is written in the reference: `len(s: string) -> int`. */
  readonly text: string;
  /** One sentence for the reference. */
  readonly doc: string;
  readonly generic: boolean;
  readonly run: Run;
  /** The type of the result where it depends on the arguments in another way than by type variables; null when these types do not go together. */
  readonly infer: Inference | null;
}

export interface SignatureParameter {
  readonly name: string;
  readonly type: ExprType;
}

/** Fails with ExprFailure where a call with these types has a signature and fails whatever its values are. */
export type Inference = (types: readonly ExprType[]) => ExprType | null;

/** `run` and `infer` of a signature that gives no value: a call is an error before its values are known. */
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

/** A group of the library: functions that the reference shows together. */
export interface FunctionGroup {
  readonly title: string;
  /** Whether its functions exist in host contexts alone (section 2.3.2, `apply_path_mapping`). */
  readonly hostOnly: boolean;
  readonly signatures: readonly Signature[];
}

const SHAPE = /^([A-Za-z_][A-Za-z0-9_]*)\((.*)\) -> (.+)$/;

/**
 * A signature from how the specification writes it: `find(s: string, sub: string) -> int`. Throws for text that is no signature: the tables are
 * written by hand and read when the module is loaded.
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
