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

/** An expression that is ready to be evaluated, many times. */
export interface Program {
  readonly source: string;
  readonly node: Node;
  /** The type that the result is coerced to; null for whatever it is. */
  readonly target: ExprType | null;
  readonly expr: Expr;
}

/** Makes a parsed expression ready (section 1.3.1). `target` is what its surroundings want, null for any type. */
export function prepare(expr: Expr, source: string, target: ExprType | null): Program {
  const wanted = target === ANY ? null : target;
  return { source, expr, target: wanted, node: compile(expr, wanted, { source, locals: [], compile }) };
}

/** Where an expression is evaluated: what it may take, and what its context says of paths. */
export interface ExprContext {
  readonly limits: ExprLimits;
  /** How paths are written (section "Path Format"): posix where jobs are created, the host's own on a worker. */
  readonly pathStyle: Exclude<PathStyle, 'uri'>;
  readonly regex: RegexEngine;
  /** Functions of the host: none, of a host that is not known yet, or with its path mapping. */
  readonly host: { readonly kind: Exclude<HostFunctions, 'known'> } | KnownHost;
}

interface KnownHost {
  readonly kind: 'known';
  readonly mapPath: (path: string) => string;
}

export type Evaluated =
  | { readonly ok: true; readonly value: Value; readonly operations: number; readonly peakMemory: number }
  /** `detail` is the message alone, `text` with the source line and what it is about marked. */
  | { readonly ok: false; readonly detail: string; readonly text: string };

/**
 * Evaluates an expression. Deterministic: the same program, symbols and context give the same value or the same failure everywhere. With unresolved
 * symbols the value is unresolved where it depends on them, and a failure tells that no value of their types works.
 */
export function evaluate(
  program: Program,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): Evaluated {
  return evaluated(context, program.source, (call) => valueOf(program, symbols, context, call));
}

/** What is evaluated under one budget, with its failure as a result; `source` is where the places of failures are. */
export function evaluated(
  { limits, pathStyle, regex, host }: ExprContext,
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
    return { ok: false, detail: error.message, text: failureText(error, source) };
  }
}

/** The value of an expression, which is alive in the budget afterwards. Fails with ExprFailure, which has its place. */
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
