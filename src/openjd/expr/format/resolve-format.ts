import {
  evaluated,
  prepare,
  valueOf,
  type Evaluated,
  type ExprContext,
  type Program,
} from '../evaluate/evaluate.ts';
import { ExprFailure } from '../expr-failure.ts';
import { MAX_STRING_BYTES } from '../expr-limits.ts';
import type { Call } from '../functions/call.ts';
import { withSpan } from '../evaluate/frame.ts';
import { soleExpression, type ExprFormat } from './format-string.ts';
import type { SourceSpan } from '../syntax/tree.ts';
import { STRING, type ExprType } from '../type-system/expr-type.ts';
import { coerce } from '../values/coerce.ts';
import { displayOf } from '../values/display.ts';
import { stringBytes, unresolvedOf, type Value } from '../values/value.ts';

/** A compiled format string that can be resolved many times. */
export interface FormatProgram {
  readonly source: string;
  readonly parts: readonly (string | Program)[];
  /** Set if its value is that of its only expression. */
  readonly isTransparent: boolean;
  /** The type that the result is coerced to; null for no coercion. */
  readonly target: ExprType | null;
}

/**
 * Compiles a parsed format string (section 1.3.2). `target` is the type that its field expects, null for any. It
 * applies to the expression if the string is nothing else, otherwise to the whole text.
 */
export function prepareFormat(format: ExprFormat, target: ExprType | null): FormatProgram {
  const { source, parts } = format;
  const isTransparent = soleExpression(format) !== null;
  return {
    source,
    parts: parts.map((part) =>
      part.kind === 'text' ? part.text : prepare(part.expr, source, isTransparent ? target : null),
    ),
    isTransparent,
    target,
  };
}

/**
 * Resolves a format string to the value of its expression if it is nothing else, otherwise to text, in which null is
 * empty. All of its expressions share one budget. The result is unresolved if it depends on unresolved symbols.
 */
export function resolveFormat(
  program: FormatProgram,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): Evaluated {
  const { source, parts, isTransparent, target } = program;
  return evaluated(context, source, (call) => {
    const [first] = parts;
    if (isTransparent && typeof first === 'object') return valueOf(first, symbols, context, call);
    const text = resolvedText(program, symbols, context, call);
    if (target === null) return text;
    try {
      return coerce(text, target, call);
    } catch (error) {
      throw withSpan(error, wholeOf(source));
    }
  });
}

/** The memory of the budget counts only the values of the expressions: the text between them already exists. */
function resolvedText(
  { parts, source }: FormatProgram,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
  call: Call,
): Value {
  const pieces: string[] = [];
  let units = 0;
  let known = true;
  for (const part of parts) {
    let piece: string;
    if (typeof part === 'string') piece = part;
    else {
      const before = call.memory;
      const value = valueOf(part, symbols, context, call);
      if (typeof value === 'object' && value?.kind === 'unresolved') known = false;
      piece = shown(value, part, call);
      call.memory = before + stringBytes(piece.length);
    }
    units += piece.length;
    if (units > MAX_STRING_BYTES) throw tooLong(source);
    pieces.push(piece);
  }
  return known ? pieces.join('') : unresolvedOf(STRING);
}

function shown(value: Value, { expr }: Program, call: Call): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  try {
    const text = displayOf(value, (units) => {
      call.reserveString(units);
    });
    call.reserveString(text.length);
    return text;
  } catch (error) {
    throw withSpan(error, { ...expr, caret: expr.start });
  }
}

const tooLong = (source: string): ExprFailure =>
  new ExprFailure(`The text has more than ${MAX_STRING_BYTES} characters`, wholeOf(source), true);

const wholeOf = (source: string): SourceSpan => ({ start: 0, end: source.length, caret: 0 });
