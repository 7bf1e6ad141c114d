import { characterAt, charactersOf } from '../text/text-slices.ts';
import { countOf, rangeValue, textOf } from '../values/arguments.ts';
import { textOfRange } from '../values/display.ts';
import type { Value } from '../values/value.ts';
import type { Call } from './call.ts';
import { chargeRuns } from './charges.ts';
import { indexOf, outOfBounds, sliceBounds } from './indexing.ts';
import { signature, type Signature } from './signature.ts';
import { countedLength } from './string-length.ts';
import { contains } from './string-search.ts';

function concatenated(call: Call, a: string, b: string): string {
  call.reserveString(a.length + b.length);
  call.chargeText(a.length + b.length);
  return a + b;
}

function rangeText(call: Call, range: Value): string {
  const value = rangeValue(range);
  chargeRuns(call, value.runs);
  return textOfRange(value);
}

function repeated(call: Call, text: string, count: number): string {
  if (text === '' || count <= 0) return '';
  call.reserveString(text.length * count);
  call.chargeText(text.length * count);
  return text.repeat(count);
}

/** Steps per character of a text from which a slice selects characters. */
const PICKING_STEPS = 5;

/**
 * Operators on strings (specification "Expression Language", sections 2.1.2, 2.1.7 and 2.1.8). Indices count code
 * points.
 */
export const OPERATORS_ON_STRINGS: readonly Signature[] = [
  signature('__add__(a: string, b: string) -> string', '`a + b`: joins two strings.', (call, a, b) =>
    concatenated(call, textOf(a), textOf(b)),
  ),
  signature(
    '__add__(a: string, b: range_expr) -> string',
    '`a + b`: joins a string and the canonical text of a range.',
    (call, a, b) => concatenated(call, textOf(a), rangeText(call, b)),
  ),
  signature(
    '__add__(a: range_expr, b: string) -> string',
    '`a + b`: joins the canonical text of a range and a string.',
    (call, a, b) => concatenated(call, rangeText(call, a), textOf(b)),
  ),
  signature(
    '__mul__(s: string, n: int) -> string',
    '`s * n`: repeats a string; the empty one for a negative number.',
    (call, s, n) => repeated(call, textOf(s), countOf(n)),
  ),
  signature(
    '__contains__(a: string, b: string) -> bool',
    '`b in a`: whether `b` occurs in `a`.',
    (call, a, b) => contains(call, textOf(a), textOf(b)),
  ),
  signature(
    '__not_contains__(a: string, b: string) -> bool',
    '`b not in a`: whether `b` does not occur in `a`.',
    (call, a, b) => !contains(call, textOf(a), textOf(b)),
  ),
  signature(
    '__getitem__(s: string, index: int) -> string',
    '`s[index]`: one character; a negative index counts from the end.',
    (call, s, index) => {
      const text = textOf(s);
      call.chargeText(text.length);
      const length = countedLength(call, text);
      const position = indexOf(index, length);
      if (position === null) throw outOfBounds(index, 'string', length);
      return characterAt(text, position);
    },
  ),
  signature(
    '__getitem__(s: string, start: int?, stop: int?, step: int?) -> string',
    '`s[start:stop:step]`: the characters of a slice.',
    (call, s, start, stop, step) => {
      const text = textOf(s);
      call.chargeText(text.length);
      const cut = sliceBounds(start, stop, step, countedLength(call, text));
      if (cut.step !== 1) call.chargeSteps(text.length * PICKING_STEPS);
      return charactersOf(text, cut.start, cut.step, cut.count);
    },
  ),
];
