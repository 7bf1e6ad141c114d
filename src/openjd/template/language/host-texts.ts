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

/** A text that is resolved, with the operations that it took, or why it is not: in words for the one whose it is. */
export type HostText =
  | { readonly ok: true; readonly text: string; readonly operations: number }
  | { readonly ok: false; readonly detail: string };

export type HostTexts =
  | { readonly ok: true; readonly texts: readonly string[]; readonly operations: number }
  | { readonly ok: false; readonly detail: string };

/** The resolver of a script, but for the script's own bindings. `expressions` are used for a template with EXPR. */
export function hostResolver(context: HostContext, expressions: ExprSettings): HostResolver {
  const { typed, mapPath } = context;
  const host: ExprContext | null =
    typed === undefined
      ? null
      : { ...expressions, pathStyle: typed.pathStyle, host: { kind: 'known', mapPath } };
  return new HostResolver(hostSymbols(context), host);
}

/**
 * Resolves the format strings of a script where everything is known: those of names alone, or with EXPR (`context`) those of expressions. When a
 * binding of the script has no value, no string of it has one.
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

  /** With the bindings of a script. */
  withLets(lets: readonly LetPlan[] = []): HostResolver {
    if (lets.length === 0 || this.#context === null) return this;
    const bound = bindLets(lets, this.#symbols, this.#context);
    return bound.ok
      ? new HostResolver(bound.symbols, this.#context)
      : new HostResolver(this.#symbols, this.#context, bound.detail);
  }

  /** One text. */
  text(format: string): HostText {
    const result = this.#resolve(format, STRING);
    if (!result.ok) return result;
    return { ok: true, text: displayOf(result.value), operations: result.operations };
  }

  /** The texts that an element of a list stands for: none for null, the elements of a list. */
  listed(format: string): HostTexts {
    const result = this.#resolve(format, ARGUMENT);
    if (!result.ok) return result;
    const texts = listedValues(result.value).map((value) => displayOf(value));
    return { ok: true, texts, operations: result.operations };
  }

  /** The value of a format string in a field that takes the type. */
  #resolve(format: string, target: ExprType): TextResult {
    if (this.fault !== null) return { ok: false, detail: this.fault };
    const prepared = prepareText(format, this.#context !== null, target);
    return prepared.ok ? resolveText(prepared.text, this.#symbols, this.#context) : prepared;
  }
}
