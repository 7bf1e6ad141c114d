import type { ExprContext } from '../expr/evaluate/evaluate.ts';
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
import type { Text } from './located.ts';
import { suggestion } from '../primitives/nearest.ts';
import { extended, type Scope } from './scope.ts';
import type { LetShape } from './shape/template-shape.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

/** Why a symbol that exists nowhere in the scope may be meant, by how it begins. */
const HINTS: readonly (readonly [prefix: string, hint: string])[] = [
  ['Job.Name', 'it requires the extension EXPR'],
  ['Step.Name', 'it requires the extension EXPR'],
  ['Session.', 'it is known on the worker only'],
  ['Task.', "it is known in a step's script only"],
  ['Env.', "it is known in an environment's script only"],
];

/** More unknown values than this in one template get no suggestion: looking for one costs. */
const MAX_SUGGESTIONS = 50;

/** The bindings of all steps of a template take no more than so many of the largest ones. */
export const KEPT_BINDINGS = 50;

/** A format string that was found sound, and its value: unresolved where it depends on what is known later. */
export interface CheckedText {
  readonly text: PreparedText;
  readonly value: Value;
}

/**
 * Checks and resolves format strings in their scopes: one finding a string, the first. With the extension EXPR (`settings`) they are evaluated with what
 * is known: a failure then tells that no value of the types works (specification "Expression Language", section "Progressive Expression Evaluation").
 */
export class TextChecker {
  readonly #findings: Findings;
  readonly #contexts: { readonly creation: ExprContext; readonly host: ExprContext } | null;
  /** First parts of the names that were referred to, in sound strings. */
  readonly used = new Set<string>();
  #suggestions = 0;
  /** What the bindings of steps take, as `sizeOf` counts it. */
  #keptBytes = 0;

  constructor(findings: Findings, settings: ExprSettings | null) {
    this.#findings = findings;
    this.#contexts =
      settings === null
        ? null
        : { creation: creationContext(settings), host: uncertainHostContext(settings) };
  }

  /** The value; undefined when it was reported. `target` is what an expression that stands alone has to give. */
  check(text: Text | undefined, scope: Scope, target: ExprType = STRING): CheckedText | undefined {
    if (text === undefined) return undefined;
    const prepared = prepareText(text.value, this.#contexts !== null, target);
    if (!prepared.ok) {
      this.#findings.add(text.at, prepared.detail);
      return undefined;
    }
    const unknown = this.#contexts === null ? unknownName(prepared.text, scope.symbols) : null;
    if (unknown !== null) {
      this.#findings.add(text.at, this.#unknown(unknown, scope));
      return undefined;
    }
    const resolved = resolveText(prepared.text, scope.symbols, this.#contextOf(scope));
    const wrong = resolved.ok
      ? missingInText(prepared.text, scope.symbols, this.#contextOf(scope))
      : resolved.detail;
    if (!resolved.ok || wrong !== null) {
      const hint = elsewhereHint(expressionSymbols(prepared.text), scope);
      this.#findings.add(text.at, `${wrong ?? ''}${hint}`);
      return undefined;
    }
    this.#use(expressionSymbols(prepared.text));
    return { text: prepared.text, value: resolved.value };
  }

  /**
   * The bindings of a `let` in their order, each of which sees those before it. What was reported has a value of any type, so that nothing else is
   * reported for it.
   */
  bind(lets: readonly LetShape[], scope: Scope): ReadonlyMap<string, Value> {
    const bound = new Map<string, Value>();
    for (const binding of lets) bound.set(binding.name, this.#valueOf(binding, extended(scope, [...bound])));
    return bound;
  }

  /** The scope with the bindings of a `let`. */
  bound(lets: readonly LetShape[], scope: Scope): Scope {
    return lets.length === 0 ? scope : extended(scope, [...this.bind(lets, scope)]);
  }

  #valueOf(binding: LetShape, scope: Scope): Value {
    const context = this.#contextOf(scope);
    // A template without EXPR has no bindings: reading refused them.
    if (context === null) return unresolvedOf(ANY);
    const symbols = letSymbols(binding);
    const result = evaluateLet(binding, scope.symbols, context);
    const wrong = result.ok ? missingInLet(binding, scope.symbols, context) : result.detail;
    if (!result.ok || wrong !== null) {
      this.#findings.add(binding.at, `${wrong ?? ''}${elsewhereHint(symbols, scope)}`);
      return unresolvedOf(ANY);
    }
    this.#use(symbols);
    return this.#kept(binding, scope, context, result.value);
  }

  /** The value, which stays in memory for the whole job when it is one of a step; unresolved when all of these are too large, which is reported. */
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

  #contextOf({ isHost }: Scope): ExprContext | null {
    return this.#contexts?.[isHost ? 'host' : 'creation'] ?? null;
  }

  #use(symbols: readonly string[]): void {
    for (const symbol of symbols) this.used.add(symbol.split('.', 1)[0] ?? '');
  }

  #unknown(symbol: string, scope: Scope): string {
    const reason = scope.elsewhere.get(symbol);
    if (reason !== undefined) return `${quoteForMessage(symbol)} cannot be used here: ${reason}`;
    const near = ++this.#suggestions <= MAX_SUGGESTIONS ? suggestion(symbol, scope.symbols.keys()) : '';
    const hint = near === '' ? HINTS.find(([prefix]) => symbol.startsWith(prefix))?.[1] : undefined;
    return `unknown value ${quoteForMessage(symbol)}${near}${hint === undefined ? '' : `: ${hint}`}`;
  }
}

/** Why a name of the expression exists and may not be used in the scope; empty when there is none. */
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
