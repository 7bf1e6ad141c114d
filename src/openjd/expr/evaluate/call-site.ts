import { ExprFailure } from '../expr-failure.ts';
import type { Call } from '../functions/call.ts';
import { FUNCTIONS, type LibraryFunction } from '../functions/library.ts';
import type { Run } from '../functions/signature.ts';
import type { SourceSpan } from '../syntax/tree.ts';
import {
  alternatives,
  FLOAT,
  resolvedType,
  type ExprType,
  type ResolvedType,
} from '../type-system/expr-type.ts';
import { coerce } from '../values/coerce.ts';
import { typeOf, unresolvedOf, type Value } from '../values/value.ts';
import { resolveOverload, MAX_COMBINATIONS, returnType, type ResolvedOverload } from './dispatch.ts';
import { withSpan, type Frame } from './frame.ts';
import { mismatch, type Written } from './mismatch.ts';

/** Operations on a receiver, which is never coerced (section 1.2.4). */
const HAS_RECEIVER: ReadonlySet<Written['kind']> = new Set(['method', 'property', 'subscript', 'slice']);

/** Maximum number of resolved overloads cached per call site. */
const MAX_EARLIER = 8;

/** Steps to find the type of a call with unknown arguments, and to test a signature against a combination of types. */
const UNKNOWN_STEPS = 3000;
const TRY_STEPS = 12;

/**
 * A place of an expression that calls a library function. It caches the signature for the latest argument types, which
 * rarely change between evaluations.
 */
export class CallSite {
  readonly #called: LibraryFunction;
  readonly #written: Written;
  readonly #place: SourceSpan;
  #types: readonly (ExprType | undefined)[] = [];
  #run: Run | null = null;
  #coercions: ResolvedOverload['coercions'] = null;
  #chosen: ResolvedOverload | null = null;
  /** Overloads for earlier types: a conditional can alternate between types. */
  readonly #earlier: { readonly types: readonly ExprType[]; readonly chosen: ResolvedOverload }[] = [];
  /**
   * The latest result with an unknown argument type. Each evaluation charges its steps again, so that all evaluations
   * cost the same.
   */
  #lastUnknown: {
    readonly types: readonly ExprType[];
    readonly type: ResolvedType;
    readonly call: Call;
  } | null = null;

  constructor(called: LibraryFunction, written: Written, place: SourceSpan) {
    this.#called = called;
    this.#written = written;
    this.#place = place;
  }

  one(frame: Frame, before: number, a: Value): Value {
    const { call } = frame;
    try {
      call.charge(1);
      if (this.#run !== null && this.#types[0] === typeOf(a)) {
        const value = this.#run(call, this.#coerced(a, 0, call), null, null, null);
        call.hold(before, value);
        return value;
      }
      return this.#resolve(frame, before, [a]);
    } catch (error) {
      throw withSpan(error, this.#place);
    }
  }

  two(frame: Frame, before: number, a: Value, b: Value): Value {
    const { call } = frame;
    try {
      call.charge(1);
      if (this.#run !== null && this.#types[0] === typeOf(a) && this.#types[1] === typeOf(b)) {
        const value = this.#run(call, this.#coerced(a, 0, call), this.#coerced(b, 1, call), null, null);
        call.hold(before, value);
        return value;
      }
      return this.#resolve(frame, before, [a, b]);
    } catch (error) {
      throw withSpan(error, this.#place);
    }
  }

  many(frame: Frame, before: number, args: readonly Value[]): Value {
    try {
      frame.call.charge(1);
      return this.#resolve(frame, before, args);
    } catch (error) {
      throw withSpan(error, this.#place);
    }
  }

  #resolve(frame: Frame, before: number, args: readonly Value[]): Value {
    const { call } = frame;
    const types = args.map(typeOf);
    const isMethod = HAS_RECEIVER.has(this.#written.kind);
    if (types.some((type) => type.kind === 'unresolved') || this.#isUnknown(frame)) {
      return this.#unknown(frame, before, this.#unknownType(types, isMethod, call));
    }
    const chosen = this.#choose(types, isMethod);
    const { run } = chosen.signature;
    const [a = null, b = null, c = null, d = null] = args.map((arg, index) =>
      this.#coerced(arg, index, call),
    );
    const value = run(call, a, b, c, d);
    call.hold(before, value);
    return value;
  }

  /** A host function while the host is unknown. */
  #isUnknown(frame: Frame): boolean {
    return this.#called.hostOnly && frame.host === 'unresolved';
  }

  #unknownType(types: readonly ExprType[], isMethod: boolean, call: Call): ResolvedType {
    const last = this.#lastUnknown;
    if (last?.call === call && sameTypes(last.types, types)) return last.type;
    const combinations = types.reduce((ways, type) => ways * alternatives(resolvedType(type)).length, 1);
    const tried = Math.min(combinations, MAX_COMBINATIONS) * this.#called.signatures.length;
    call.chargeSteps(UNKNOWN_STEPS + tried * TRY_STEPS);
    const type = returnType(this.#called, types, isMethod);
    if (type === null) throw mismatch(this.#written, this.#called, types);
    this.#lastUnknown = { types, type, call };
    return type;
  }

  #unknown(frame: Frame, before: number, type: ResolvedType): Value {
    const value = unresolvedOf(type);
    frame.call.hold(before, value);
    return value;
  }

  #coerced(value: Value, index: number, call: Call): Value {
    const target = this.#coercions === null ? null : (this.#coercions[index] ?? null);
    if (target === null) return value;
    // The most frequent coercion.
    return target === FLOAT && typeof value === 'number'
      ? { kind: 'float', value, text: null }
      : coerce(value, target, call);
  }

  #choose(types: readonly ExprType[], isMethod: boolean): ResolvedOverload {
    if (this.#chosen !== null && sameTypes(this.#types, types)) return this.#chosen;
    const known = this.#earlier.find((earlier) => sameTypes(earlier.types, types));
    const resolved = types.flatMap((type) => (type.kind === 'unresolved' ? [] : type));
    const found = known?.chosen ?? resolveOverload(this.#called, resolved, isMethod);
    if (found === null) throw mismatch(this.#written, this.#called, types);
    if (known === undefined && this.#earlier.length < MAX_EARLIER) {
      this.#earlier.push({ types, chosen: found });
    }
    this.#types = types;
    this.#chosen = found;
    // A host function is not available in every evaluation.
    this.#run = this.#called.hostOnly ? null : found.signature.run;
    this.#coercions = found.coercions;
    return found;
  }
}

const sameTypes = (a: readonly (ExprType | undefined)[], b: readonly ExprType[]): boolean =>
  a.length === b.length && a.every((type, index) => type === b[index]);

/** Returns the failure of an expression that is not a bool. */
export const notBool = (what: string, value: Value): ExprFailure =>
  new ExprFailure(`${what} must be a boolean, got ${resolvedType(typeOf(value)).text}`);

/** Compiles the call of a function that the library is known to have. */
export function librarySite(name: string, written: Written, place: SourceSpan): CallSite {
  const called = FUNCTIONS.get(name);
  if (called === undefined) throw new Error(`the library lacks ${name}`);
  return new CallSite(called, written, place);
}

/** Compiles the call of an operator's function; `swapped` if its operands are in reverse order. */
export const operatorSite = (name: string, symbol: string, place: SourceSpan, swapped = false): CallSite =>
  librarySite(name, { kind: 'operator', symbol, swapped }, place);
