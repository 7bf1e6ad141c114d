import { escapedText, hexOf } from '../text/escaping.ts';
import type { BeforeGrowth } from '../values/display.ts';
import type { Value } from '../values/value.ts';
import { representationOf, type Notation } from './repr-notation.ts';

/** Characters that JSON must escape, and all outside of printable ASCII. */
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

const stringRepr = (text: string, grow: BeforeGrowth): string =>
  escapedText(
    text,
    ['"', '"'],
    SPECIAL,
    (unit) => NAMED.get(unit) ?? `\\u${hexOf(unit.charCodeAt(0), 4)}`,
    grow,
  );

const JSON_NOTATION: Notation = { null: 'null', true: 'true', false: 'false', text: stringRepr };

/**
 * Formats a value as JSON in ASCII, with a blank after each comma, as Python's `json.dumps` does; paths and ranges as
 * strings.
 */
export const jsonRepr = (value: Value, grow: BeforeGrowth): string =>
  representationOf(value, JSON_NOTATION, grow);
