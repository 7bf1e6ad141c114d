import type { ExprContext } from '../../expr/evaluate/evaluate.ts';
import { STRING, type ExprType } from '../../expr/type-system/expr-type.ts';
import { displayOf } from '../../expr/values/display.ts';
import type { Value } from '../../expr/values/value.ts';
import { hostSymbols, type HostContext } from '../host-symbols.ts';
import type { LetPlan } from '../plan.ts';
import type { ExprSettings } from './expressions.ts';
import { ARGUMENT, listedValues } from './field-types.ts';
import { bindLets } from './let-bindings.ts';
import { prepareText, resolveText, type TextResult } from './prepared-text.ts';
import { ScriptTally } from './script-tally.ts';

/** A resolved text with the operations that it took, or an error text for the owner of the job. */
export type HostText =
  | { readonly ok: true; readonly text: string; readonly operations: number }
  | { readonly ok: false; readonly detail: string };

export type HostTexts =
  | { readonly ok: true; readonly texts: readonly string[]; readonly operations: number }
  | { readonly ok: false; readonly detail: string };

/**
 * Returns the resolver of a script, without the script's own bindings. `expressions` are used for a template with EXPR.
 */
export function hostResolver(context: HostContext, expressions: ExprSettings): HostResolver {
  const { typed, mapPath } = context;
  const host: ExprContext | null =
    typed === undefined
      ? null
      : { ...expressions, pathStyle: typed.pathStyle, host: { kind: 'known', mapPath } };
  return new HostResolver(hostSymbols(context), host);
}

/**
 * Resolves the format strings of a script when all values are known: with names only, or with EXPR (`context`) with
 * expressions. If a binding of the script has no value, none of its strings has one.
 */
export class HostResolver {
  readonly #symbols: ReadonlyMap<string, Value>;
  readonly #context: ExprContext | null;
  /** Why the bindings of the script have no values, or null. */
  readonly fault: string | null;

  constructor(symbols: ReadonlyMap<string, Value>, context: ExprContext | null, fault: string | null = null) {
    this.#symbols = symbols;
    this.#context = context;
    this.fault = fault;
  }

  /** Returns the resolver with the bindings of a script. */
  withLets(lets: readonly LetPlan[] = []): HostResolver {
    if (lets.length === 0 || this.#context === null) return this;
    const bound = bindLets(lets, this.#symbols, this.#context);
    return bound.ok
      ? new HostResolver(bound.symbols, this.#context)
      : new HostResolver(this.#symbols, this.#context, bound.detail);
  }

  /** Returns the resolver with further values by symbol. */
  withValues(values: ReadonlyMap<string, Value>): HostResolver {
    return new HostResolver(new Map([...this.#symbols, ...values]), this.#context, this.fault);
  }

  /** Returns a tally of the texts of one script, with the limits of this resolver. */
  tally(): ScriptTally {
    return new ScriptTally(this.#context?.limits);
  }

  /** Resolves one text. */
  text(format: string): HostText {
    const result = this.#resolve(format, STRING);
    if (!result.ok) return { ok: false, detail: result.detail };
    return { ok: true, text: displayOf(result.value), operations: result.operations };
  }

  /** Resolves an element of a list to its texts: none for null, the elements of a list. */
  listed(format: string): HostTexts {
    const result = this.#resolve(format, ARGUMENT);
    if (!result.ok) return { ok: false, detail: result.detail };
    const texts = listedValues(result.value).map((value) => displayOf(value));
    return { ok: true, texts, operations: result.operations };
  }

  /** Resolves a format string of a field that accepts the type. */
  value(format: string, target: ExprType): TextResult {
    return this.#resolve(format, target);
  }

  #resolve(format: string, target: ExprType): TextResult {
    if (this.fault !== null) return { ok: false, detail: this.fault, offset: 0 };
    const prepared = prepareText(format, this.#context !== null, target);
    return prepared.ok ? resolveText(prepared.text, this.#symbols, this.#context) : prepared;
  }
}
