import type { ExprContext } from '../expr/evaluate/evaluate.ts';
import {
  EXPRESSIONS_TOGETHER,
  MAX_TEMPLATE_OPERATIONS,
  OPERATIONS_PER_EVALUATION,
} from '../expr/expr-limits.ts';
import { ANY, STRING, type ExprType } from '../expr/type-system/expr-type.ts';
import { sizeOf, unresolvedOf, type Value } from '../expr/values/value.ts';
import type { Findings } from './findings.ts';
import { creationContext, uncertainHostContext, type ExprSettings } from './language/expressions.ts';
import { evaluateLet, letSymbols, missingInLet } from './language/let-bindings.ts';
import {
  expressionSymbols,
  missingInText,
  prepareText,
  resolveText,
  type PreparedText,
  unknownName,
} from './language/prepared-text.ts';
import type { Located, Text } from './located.ts';
import { suggestion } from '../primitives/nearest.ts';
import { extended, type Scope } from './scope.ts';
import type { LetShape } from './shape/template-shape.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

/** Hints for undefined symbols, by their prefix. */
const HINTS: readonly (readonly [prefix: string, hint: string])[] = [
  ['Job.Name', 'it requires the extension EXPR'],
  ['Step.Name', 'it requires the extension EXPR'],
  ['Session.', 'it is known on the worker only'],
  ['Task.', "it is known in a step's script only"],
  ['Env.', "it is known in an environment's script only"],
];

/** Returns a suggestion for an unknown symbol: one of the same name with a prefix, else the nearest. */
function nearSymbol(symbol: string, { symbols }: Scope): string {
  const prefixed = [...symbols.keys()].filter((known) => known.endsWith(`.${symbol}`));
  const known = prefixed.find((each) => !each.includes('RawParam.')) ?? prefixed[0];
  return known === undefined
    ? suggestion(symbol, symbols.keys())
    : `; did you mean ${quoteForMessage(known)}?`;
}

/** Maximum number of unknown values per template with a suggestion, because the search is expensive. */
const MAX_SUGGESTIONS = 50;

/** Maximum total size of the bindings of all steps of a template, in multiples of the largest allowed value. */
export const KEPT_BINDINGS = 50;

/** A valid format string, and its value: unresolved if it depends on values that are not known yet. */
export interface CheckedText {
  readonly text: PreparedText;
  readonly value: Value;
}

/**
 * Checks and resolves format strings in their scopes. Reports the first finding of each string. All of its evaluations
 * share `MAX_TEMPLATE_OPERATIONS`, or more with larger limits of one evaluation: when they are used up, that is reported once. With the extension EXPR
 * (`settings`) they are evaluated with the known values: a failure then means that no value of the types works
 * (specification "Expression Language", section "Progressive Expression Evaluation").
 */
export class TextChecker {
  readonly #findings: Findings;
  readonly #contexts: { readonly creation: ExprContext; readonly host: ExprContext } | null;
  /** First parts of the referenced names, in valid strings. */
  readonly used = new Set<string>();
  /** Whether a valid string refers to a name that has no value there in a service. */
  usesNamesAtCreation = false;
  #suggestions = 0;
  /** Total size of the bindings of steps, as counted by `sizeOf`. */
  #keptBytes = 0;
  #operations = 0;
  /** Maximum of `#operations`. */
  readonly #most: number;
  #isExhausted = false;

  constructor(findings: Findings, settings: ExprSettings | null) {
    this.#findings = findings;
    this.#most = Math.max(MAX_TEMPLATE_OPERATIONS, EXPRESSIONS_TOGETHER * (settings?.limits.operations ?? 0));
    if (settings === null) {
      this.#contexts = null;
      return;
    }
    const onOperations = (operations: number): void => {
      this.#operations += operations + OPERATIONS_PER_EVALUATION;
    };
    this.#contexts = {
      creation: { ...creationContext(settings), onOperations },
      host: { ...uncertainHostContext(settings), onOperations },
    };
  }

  /** Reports why the value of a field is not valid. */
  report(at: Located, detail: string): void {
    this.#findings.add(at, detail);
  }

  /** Returns the value; undefined if it was reported. `target` is the required type of a single expression. */
  check(text: Text | undefined, scope: Scope, target: ExprType = STRING): CheckedText | undefined {
    if (text === undefined || this.#isOverBudget(text.at)) return undefined;
    const prepared = prepareText(text.value, this.#contexts !== null, target);
    if (!prepared.ok) {
      this.#findings.add(text.at, prepared.detail, prepared.offset);
      return undefined;
    }
    const unknown = this.#contexts === null ? unknownName(prepared.text, scope.symbols) : null;
    if (unknown !== null) {
      this.#findings.add(text.at, this.#unknown(unknown.symbol, scope), unknown.at);
      return undefined;
    }
    const resolved = resolveText(prepared.text, scope.symbols, this.#contextOf(scope));
    const wrong = resolved.ok
      ? missingInText(prepared.text, scope.symbols, this.#contextOf(scope))
      : resolved;
    if (!resolved.ok || wrong !== null) {
      const hint = elsewhereHint(expressionSymbols(prepared.text), scope);
      this.#findings.add(text.at, `${wrong?.detail ?? ''}${hint}`, wrong?.offset ?? 0);
      return undefined;
    }
    this.#use(expressionSymbols(prepared.text), scope);
    return { text: prepared.text, value: resolved.value };
  }

  /**
   * Evaluates the bindings of a `let` in order; each can refer to those before it. A reported binding has a value of
   * any type, so that it causes no further findings.
   */
  bind(lets: readonly LetShape[], scope: Scope): ReadonlyMap<string, Value> {
    const bound = new Map<string, Value>();
    for (const binding of lets) bound.set(binding.name, this.#valueOf(binding, extended(scope, [...bound])));
    return bound;
  }

  /** Returns the scope with the bindings of a `let`. */
  bound(lets: readonly LetShape[], scope: Scope): Scope {
    return lets.length === 0 ? scope : extended(scope, [...this.bind(lets, scope)]);
  }

  #valueOf(binding: LetShape, scope: Scope): Value {
    const context = this.#contextOf(scope);
    // A template without EXPR has no bindings: the reader rejected them.
    if (context === null || this.#isOverBudget(binding.at)) return unresolvedOf(ANY);
    const symbols = letSymbols(binding);
    const result = evaluateLet(binding, scope.symbols, context);
    const wrong = result.ok ? missingInLet(binding, scope.symbols, context) : result.detail;
    if (!result.ok || wrong !== null) {
      this.#findings.add(binding.at, `${wrong ?? ''}${elsewhereHint(symbols, scope)}`);
      return unresolvedOf(ANY);
    }
    this.#use(symbols, scope);
    return this.#kept(binding, scope, context, result.value);
  }

  /**
   * Returns the value. The value of a step's binding stays in memory as long as the job does; it is unresolved if all
   * of them exceed the limit, which is reported.
   */
  #kept(binding: LetShape, { isHost }: Scope, { limits }: ExprContext, value: Value): Value {
    if (isHost) return value;
    const max = limits.memory * KEPT_BINDINGS;
    const before = this.#keptBytes;
    this.#keptBytes += sizeOf(value);
    if (this.#keptBytes <= max) return value;
    if (before <= max) {
      this.#findings.add(binding.at, `the bindings of all steps take more than ${max} bytes together`);
    }
    return unresolvedOf(ANY);
  }

  /** Reports whether the operations are used up. The first time, this is a finding. */
  #isOverBudget(at: Located): boolean {
    if (this.#operations <= this.#most) return false;
    if (!this.#isExhausted) {
      const detail = `the expressions up to here need more than ${this.#most} operations together, the limit of a template`;
      this.#findings.add(at, detail);
    }
    this.#isExhausted = true;
    return true;
  }

  #contextOf({ isHost }: Scope): ExprContext | null {
    return this.#contexts?.[isHost ? 'host' : 'creation'] ?? null;
  }

  #use(symbols: readonly string[], { notInService }: Scope): void {
    for (const symbol of symbols) {
      this.used.add(symbol.split('.', 1)[0] ?? '');
      if (notInService?.some((name) => symbol === name || symbol.startsWith(`${name}.`)) === true)
        this.usesNamesAtCreation = true;
    }
  }

  #unknown(symbol: string, scope: Scope): string {
    const reason = scope.elsewhere.get(symbol);
    if (reason !== undefined) return `${quoteForMessage(symbol)} cannot be used here: ${reason}`;
    const near = ++this.#suggestions <= MAX_SUGGESTIONS ? nearSymbol(symbol, scope) : '';
    const hint = near === '' ? HINTS.find(([prefix]) => symbol.startsWith(prefix))?.[1] : undefined;
    return `unknown value ${quoteForMessage(symbol)}${near}${hint === undefined ? '' : `: ${hint}`}`;
  }
}

/** Returns why a name of the expression exists but must not be used in the scope; empty if there is none. */
function elsewhereHint(symbols: readonly string[], scope: Scope): string {
  for (const symbol of symbols) {
    const parts = symbol.split('.');
    for (let count = parts.length; count > 0; count--) {
      const name = parts.slice(0, count).join('.');
      if (scope.symbols.has(name)) break;
      const reason = scope.elsewhere.get(name);
      if (reason !== undefined) return `\n${name} cannot be used here: ${reason}`;
    }
  }
  return '';
}
