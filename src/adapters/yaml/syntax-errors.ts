import type { Document, ErrorCode, YAMLParseError } from 'yaml';
import type { LineIndex } from '../../openjd/primitives/line-index.ts';
import type { PointedError } from '../../openjd/primitives/pointed-error.ts';
import { pointerAt } from './pointer-at.ts';

/** Maximum number of reported syntax errors; later ones are mostly consequences of the first. */
const MAX_SYNTAX_ERRORS = 10;

const SAME_COLUMN = 'indent the keys of one mapping, and the items of one list, by the same number of spaces';

/** Advice on what to write instead, by the message of the parser. The first match counts. */
const INSTEAD: readonly (readonly [message: RegExp, instead: string])[] = [
  [/^Tabs /, 'use spaces'],
  [/^Missing closing .quote/, 'close the quote'],
  [/sufficiently indented and end with a (\S)$/, 'close the bracket, with each further line indented'],
  [/^Nested mappings are not allowed/, 'put text that contains ": " in quotes'],
  [/^Sequence item without - indicator/, `${SAME_COLUMN}; an item of a list begins with "- "`],
  [/^All (?:mapping|sequence) items must start at the same column/, SAME_COLUMN],
  [/^Implicit (?:map )?keys need to be/, 'put a colon and a blank after each key'],
  [/^Plain value cannot start with/, 'put the text in quotes'],
  [/^Invalid escape sequence/, 'write \\\\ for a backslash, or use single quotes'],
  [/^Block collections are not allowed within flow/, 'inside [ ] and { } write [a, b] and {key: value}'],
  [/at node end$/, 'put text in quotes as a whole, or begin a new line'],
  [/./, 'check quotes, brackets and indentation before this place'],
];

/** Errors at the key of an entry that was meant otherwise: they concern the node around it. */
const AT_KEY: ReadonlySet<ErrorCode> = new Set(['BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY']);
/** Errors after which the parser reads the rest of the text otherwise than it was meant. */
const MISLEADING = /^Tabs |^Missing closing|sufficiently indented and end with/;
const UNCLOSED = /^Missing closing|sufficiently indented and end with/;
const KEY_ALONE = /^Implicit map keys need to be followed/;
const BRACES = /\{\{[^\n]*\}\}[ ]*$/;
export const BRACES_IN_QUOTES = 'text that begins with {{ must be in quotes, as in name: "{{Param.Name}}"';

/** Returns the syntax errors of a parsed text, each with the pointer of the innermost node around it. */
export function syntaxErrors(document: Document.Parsed, text: string, lines: LineIndex): PointedError[] {
  const reported = new Set<number>();
  const last = document.errors.findIndex(({ message }) => MISLEADING.test(message));
  const errors = last === -1 ? document.errors : document.errors.slice(0, last + 1);
  return errors.slice(0, MAX_SYNTAX_ERRORS).flatMap((error) => {
    const offset = placeOf(error, text);
    // The second error at one place is a consequence of the first.
    if (reported.has(offset)) return [];
    reported.add(offset);
    const pointer = pointerAt(document.contents, offset, text, lines);
    const isAtKey = AT_KEY.has(error.code) || KEY_ALONE.test(error.message);
    return {
      pointer: isAtKey ? pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))) : pointer,
      detail: detailOf(error, text.slice(0, offset)),
      ...lines.at(offset),
    };
  });
}

function detailOf({ message }: YAMLParseError, before: string): string {
  if (message.endsWith('at node end') && BRACES.test(before)) return BRACES_IN_QUOTES;
  const instead = INSTEAD.find(([pattern]) => pattern.test(message))?.[1] ?? '';
  return `is not YAML: ${message}; ${instead}`;
}

/** Returns the offset of an error. A bracket that is not closed is missed behind the last text, not in a later line. */
function placeOf({ message, pos: [offset] }: YAMLParseError, text: string): number {
  const written = text.slice(0, offset).trimEnd().length;
  const isLater = offset >= text.trimEnd().length || text.slice(written, offset).includes('\n');
  return isLater && UNCLOSED.test(message) ? written : afterSpaces(text, offset);
}

/** Returns the offset of the first character after the indentation of a line that begins at the offset. */
function afterSpaces(text: string, offset: number): number {
  let at = offset;
  while (text[at] === ' ') at++;
  return at;
}
