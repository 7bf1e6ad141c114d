import { evaluate, prepare, type Evaluated } from '../../src/openjd/expr/evaluate/evaluate.ts';
import { missingName } from '../../src/openjd/expr/evaluate/missing-names.ts';
import { type ExprFailure, failureText } from '../../src/openjd/expr/expr-failure.ts';
import { formatReferences, parseExprFormat } from '../../src/openjd/expr/format/format-string.ts';
import { prepareFormat, resolveFormat } from '../../src/openjd/expr/format/resolve-format.ts';
import { parseExpression } from '../../src/openjd/expr/syntax/parse-expression.ts';
import { referencesOf, type References } from '../../src/openjd/expr/syntax/symbols.ts';
import { displayOf } from '../../src/openjd/expr/values/display.ts';
import { typeOf, unresolvedOf, type Value } from '../../src/openjd/expr/values/value.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import { readEvalRequest, RequestFault, type EvalRequest } from './eval-request.ts';

export type EvalAnswer = ShownValue | ShownReferences | { readonly ok: false; readonly error: string };

/**
 * Converts a value to JSON. Ints beyond the exact range of JSON readers, paths and ranges become text; unknown values
 * become null.
 */
export interface ShownValue {
  readonly ok: true;
  readonly type: string;
  readonly value: unknown;
  /** The value as a format string shows it. */
  readonly display: string;
}

interface ShownReferences {
  readonly ok: true;
  readonly accessed_symbols: readonly string[];
  readonly called_functions: readonly string[];
  readonly local_bindings: readonly string[];
}

/** Answers a line of `openjd eval --jsonl`. */
export function answerEval(line: DocumentNode): EvalAnswer {
  let request: EvalRequest;
  try {
    request = readEvalRequest(line);
  } catch (fault) {
    if (fault instanceof RequestFault) return { ok: false, error: fault.message };
    throw fault;
  }
  return answerRequest(request);
}

/** Returns the result of a request: a value, or for `parse` and `format_parse` the names that the source refers to. */
export function answerRequest(request: EvalRequest): EvalAnswer {
  return request.mode === 'evaluate' || request.mode === 'parse'
    ? answerExpression(request)
    : answerFormat(request);
}

function answerExpression({ expr, mode, symbols, target, context }: EvalRequest): EvalAnswer {
  const parsed = parseExpression(expr);
  if (!parsed.ok) return refused(parsed.failure, expr);
  if (mode === 'parse') return references(referencesOf(parsed.expr));
  return answered(evaluate(prepare(parsed.expr, expr, target), symbols, context));
}

function answerFormat({ expr, mode, symbols, target, context }: EvalRequest): EvalAnswer {
  const parsed = parseExprFormat(expr);
  if (!parsed.ok) return refused(parsed.failure, expr);
  if (mode === 'format_parse') return references(formatReferences(parsed.format));
  const program = prepareFormat(parsed.format, target);
  const given = mode === 'format_check' ? withoutValues(symbols) : symbols;
  const resolved = resolveFormat(program, given, context);
  if (mode === 'format' && resolved.ok) return shownValue(displayIn(resolved.value));
  if (mode === 'format_check' && resolved.ok) {
    // As in a template: an undefined name is an error even in a branch that may not be evaluated.
    for (const part of parsed.format.parts) {
      const missing = part.kind === 'expression' ? missingName(part.expr, given, context.host.kind) : null;
      if (missing !== null) return refused(missing, expr);
    }
  }
  return answered(resolved);
}

/** Only the types of the symbols are known. */
const withoutValues = (symbols: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
  new Map([...symbols].map(([name, value]) => [name, unresolvedOf(typeOf(value))]));

const answered = (result: Evaluated): EvalAnswer =>
  result.ok ? shownValue(result.value) : { ok: false, error: result.text };

const shownValue = (value: Value): ShownValue => ({
  ok: true,
  type: typeOf(value).text,
  value: jsonOfValue(value),
  display: displayIn(value),
});

const references = ({ symbols, functions, variables }: References): ShownReferences => ({
  ok: true,
  accessed_symbols: [...symbols],
  called_functions: [...functions],
  local_bindings: [...variables],
});

/** Null is empty in a format string (specification "Expression Language", section 1.3.2). */
const displayIn = (value: Value): string => (value === null ? '' : displayOf(value));

function jsonOfValue(value: Value): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  switch (value.kind) {
    case 'float':
      return value.value;
    case 'path':
    case 'range':
      return displayOf(value);
    case 'list':
      return value.items.map(jsonOfValue);
    case 'unresolved':
      return null;
  }
}

const refused = (failure: ExprFailure, source: string): EvalAnswer => ({
  ok: false,
  error: failureText(failure, source),
});
