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

/** Operations on a value that is taken as it is (section 1.2.4). */
const HAS_RECEIVER: ReadonlySet<Written['kind']> = new Set(['method', 'property', 'subscript', 'slice']);

/** Choices that one place remembers. */
const MAX_EARLIER = 8;

/** Steps of finding the type of a call that is not known, and of looking whether a signature fits a combination of types. */
const UNKNOWN_STEPS = 3000;
const TRY_STEPS = 12;

/**
 * One place of an expression that calls a function of the library. It remembers the signature that the last types of arguments chose, which are the
 * same at nearly every evaluation.
 */
export class CallSite {
  readonly #called: LibraryFunction;
  readonly #written: Written;
  readonly #place: SourceSpan;
  #types: readonly (ExprType | undefined)[] = [];
  #run: Run | null = null;
  #coercions: ResolvedOverload['coercions'] = null;
  #chosen: ResolvedOverload | null = null;
  /** What other types chose: the branches of a conditional can give one after another. */
  readonly #earlier: { readonly types: readonly ExprType[]; readonly chosen: ResolvedOverload }[] = [];
  /** What the last types of which one was not known gave in an evaluation: each counts it, so that it counts the same however often it is made. */
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

  /** A function of the host whose host is not known yet. */
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
    // By far the most frequent coercion of all.
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
    // A function of the host is not known in every evaluation.
    this.#run = this.#called.hostOnly ? null : found.signature.run;
    this.#coercions = found.coercions;
    return found;
  }
}

const sameTypes = (a: readonly (ExprType | undefined)[], b: readonly ExprType[]): boolean =>
  a.length === b.length && a.every((type, index) => type === b[index]);

/** Why an expression that must be a bool is none. */
export const notBool = (what: string, value: Value): ExprFailure =>
  new ExprFailure(`${what} must be a boolean, got ${resolvedType(typeOf(value)).text}`);

/** The call of a function that the library has for certain. */
export function librarySite(name: string, written: Written, place: SourceSpan): CallSite {
  const called = FUNCTIONS.get(name);
  if (called === undefined) throw new Error(`the library lacks ${name}`);
  return new CallSite(called, written, place);
}

/** The call of an operator's function; `swapped` when its operands stand the other way round. */
export const operatorSite = (name: string, symbol: string, place: SourceSpan, swapped = false): CallSite =>
  librarySite(name, { kind: 'operator', symbol, swapped }, place);
