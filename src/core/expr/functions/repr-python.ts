import { escapedText, hexOf } from '../text/escaping.ts';
import { joinGrowing, textOfRange, type BeforeGrowth } from '../values/display.ts';
import { textOfNumber } from '../values/float-text.ts';
import type { Value } from '../values/value.ts';

/** A backslash, both quotes, and what Python does not take for printable: other, and separators but the blank. */
const SPECIAL = /[\\'"]|[^\P{C}]|[^\P{Z} ]/gu;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A value as Python's `repr` writes it; paths and ranges as strings. */
export function pythonRepr(value: Value, grow: BeforeGrowth): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return stringRepr(value, grow);
  if (typeof value !== 'object') return `${value}`;
  switch (value.kind) {
    case 'float':
      return textOfNumber(value.value);
    case 'path':
      return stringRepr(value.text, grow);
    case 'range':
      return stringRepr(textOfRange(value), grow);
    case 'list':
      return joinGrowing(value, ['[', ', ', ']'], pythonRepr, grow);
    case 'unresolved':
      throw new Error('a representation of a value that is not known');
  }
}

/** In single quotes, unless there are single quotes in it and no double ones. */
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
