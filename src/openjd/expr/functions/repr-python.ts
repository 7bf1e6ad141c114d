import { escapedText, hexOf } from '../text/escaping.ts';
import type { BeforeGrowth } from '../values/display.ts';
import type { Value } from '../values/value.ts';
import { representationOf, type Notation } from './repr-notation.ts';

/** A backslash, quotes, and characters that are not printable for Python: categories C and Z except the blank. */
const SPECIAL = /[\\'"]|[^\P{C}]|[^\P{Z} ]/gu;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** In single quotes, unless the text contains single and no double quotes. */
function stringRepr(text: string, grow: BeforeGrowth): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escape = (character: string): string => {
    if (character === "'" || character === '"') return character === quote ? `\\${quote}` : character;
    return NAMED.get(character) ?? codeEscape(character.codePointAt(0) ?? 0);
  };
  return escapedText(text, [quote, quote], SPECIAL, escape, grow);
}

function codeEscape(code: number): string {
  if (code <= 0xff) return `\\x${hexOf(code, 2)}`;
  return code <= 0xffff ? `\\u${hexOf(code, 4)}` : `\\U${hexOf(code, 8)}`;
}

const PYTHON_NOTATION: Notation = { null: 'None', true: 'True', false: 'False', text: stringRepr };

/** Formats a value as Python's `repr` does; paths and ranges as strings. */
export const pythonRepr = (value: Value, grow: BeforeGrowth): string =>
  representationOf(value, PYTHON_NOTATION, grow);
