import type { RegexEngine } from '../regex/regex-engine.ts';
import { ExprFailure, failureText } from '../expr-failure.ts';
import type { ExprLimits } from '../expr-limits.ts';
import { Call } from '../functions/call.ts';
import type { Expr } from '../syntax/tree.ts';
import { ANY, type ExprType } from '../type-system/expr-type.ts';
import { coerce } from '../values/coerce.ts';
import type { PathStyle, Value } from '../values/value.ts';
import { compile } from './compile.ts';
import { withSpan, type HostFunctions, type Node } from './frame.ts';

/** A compiled expression that can be evaluated many times. */
export interface Program {
  readonly source: string;
  readonly node: Node;
  /** The type that the result is coerced to; null for no coercion. */
  readonly target: ExprType | null;
  readonly expr: Expr;
}

/** Compiles a parsed expression (section 1.3.1). `target` is the type expected by its context, null for any type. */
export function prepare(expr: Expr, source: string, target: ExprType | null): Program {
  const wanted = target === ANY ? null : target;
  return { source, expr, target: wanted, node: compile(expr, wanted, { source, locals: [], compile }) };
}

/** Limits of an evaluation and its path settings. */
export interface ExprContext {
  readonly limits: ExprLimits;
  /** Path format (section "Path Format"): posix at job creation, the host's own on a worker. */
  readonly pathStyle: Exclude<PathStyle, 'uri'>;
  readonly regex: RegexEngine;
  /** Host functions: unavailable, of an unknown host, or with the host's path mapping. */
  readonly host: { readonly kind: Exclude<HostFunctions, 'known'> } | KnownHost;
  /** Receives the number of operations after each evaluation, also a failed one. */
  readonly onOperations?: (operations: number) => void;
}

interface KnownHost {
  readonly kind: 'known';
  readonly mapPath: (path: string) => string;
}

export type Evaluated =
  | { readonly ok: true; readonly value: Value; readonly operations: number; readonly peakMemory: number }
  /**
   * `detail` is the message alone; `text` also contains the source line with the position marked; `offset` is that
   * position in the source.
   */
  | { readonly ok: false; readonly detail: string; readonly text: string; readonly offset: number };

/**
 * Evaluates an expression. The result is deterministic: the same program, symbols and context give the same value or
 * failure everywhere. With unresolved symbols the value is unresolved if it depends on them, and a failure means that
 * no values of their types work.
 */
export function evaluate(
  program: Program,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): Evaluated {
  return evaluated(context, program.source, (call) => valueOf(program, symbols, context, call));
}

/** Evaluates under one budget and returns failures as results; `source` is the text that positions refer to. */
export function evaluated(
  { limits, pathStyle, regex, host, onOperations }: ExprContext,
  source: string,
  run: (call: Call) => Value,
): Evaluated {
  const mapPath = host.kind === 'known' ? host.mapPath : null;
  const call = new Call({ limits, pathStyle, regex, mapPath });
  try {
    const value = run(call);
    return { ok: true, value, operations: call.operations, peakMemory: call.peakMemory };
  } catch (error) {
    if (!(error instanceof ExprFailure)) throw error;
    return {
      ok: false,
      detail: error.message,
      text: failureText(error, source),
      offset: error.place?.caret ?? 0,
    };
  } finally {
    onOperations?.(call.operations);
  }
}

/**
 * Returns the value of an expression, which remains charged to the budget. Fails with an ExprFailure that has a
 * position.
 */
export function valueOf(
  program: Program,
  symbols: ReadonlyMap<string, Value>,
  { host }: ExprContext,
  call: Call,
): Value {
  const before = call.memory;
  const natural = program.node({ call, symbols, locals: [], host: host.kind });
  return program.target === null ? natural : coercedResult(natural, program, program.target, before, call);
}

function coercedResult(value: Value, program: Program, target: ExprType, before: number, call: Call): Value {
  try {
    const coerced = coerce(value, target, call);
    call.hold(before, coerced);
    return coerced;
  } catch (error) {
    throw withSpan(error, { ...program.expr, caret: program.expr.start });
  }
}
