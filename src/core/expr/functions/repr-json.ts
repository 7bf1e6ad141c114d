import { escapedText, hexOf } from '../text/escaping.ts';
import { joinGrowing, textOfRange, type BeforeGrowth } from '../values/display.ts';
import { textOfNumber } from '../values/float-text.ts';
import type { Value } from '../values/value.ts';

/** What JSON must escape, and what is not printable ASCII. */
const SPECIAL = /["\\\0-\x1f\x7f-\uffff]/g;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A value as JSON in ASCII alone, with a blank after each comma, as Python's `json.dumps` writes it; paths and ranges as strings. */
export function jsonRepr(value: Value, grow: BeforeGrowth): string {
  if (typeof value === 'string') return stringRepr(value, grow);
  if (typeof value !== 'object' || value === null) return `${value}`;
  switch (value.kind) {
    case 'float':
      return textOfNumber(value.value);
    case 'path':
      return stringRepr(value.text, grow);
    case 'range':
      return stringRepr(textOfRange(value), grow);
    case 'list':
      return joinGrowing(value, ['[', ', ', ']'], jsonRepr, grow);
    case 'unresolved':
      throw new Error('a representation of a value that is not known');
  }
}

const stringRepr = (text: string, grow: BeforeGrowth): string =>
  escapedText(
    text,
    ['"', '"'],
    SPECIAL,
    (unit) => NAMED.get(unit) ?? `\\u${hexOf(unit.charCodeAt(0), 4)}`,
    grow,
  );
