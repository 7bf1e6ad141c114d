import { ExprFailure } from '../expr-failure.ts';
import { escapedText } from '../text/escaping.ts';
import { textOf } from '../values/arguments.ts';
import { joinGrowing, textOfRange, type BeforeGrowth } from '../values/display.ts';
import { jsonOfFloat } from '../values/float-text.ts';
import type { ListValue, Value } from '../values/value.ts';

/** Text that needs no quoting in a POSIX shell, as in Python's `shlex.quote`. */
const SAFE_IN_SH = /^[A-Za-z0-9_@%+=:,./-]+$/;

const NEEDS_QUOTES_IN_CMD = /[&|<>^"()%!\s\x1c-\x1f\x85]/;
const SPECIAL_IN_CMD = /[\^"%!]/g;
const LINE_BREAKS = /[\r\n]/g;
const CMD_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['^', '^^'],
  ['"', '^"'],
  ['%', '%%'],
  ['!', '^^!'],
]);

/** All characters that PowerShell accepts as a single quote: typographic ones end a string as well. */
const SINGLE_QUOTES_IN_PWSH = /['\u2018-\u201b]/g;

/** Returns the text of a string or path. */
const wordOf = (value: Value): string =>
  typeof value === 'object' && value !== null && value.kind === 'path' ? value.text : textOf(value);

/** Quotes one word for a POSIX shell. Fails for a NUL, which no word can contain. */
export function shWord(value: Value, grow: BeforeGrowth): string {
  const text = wordOf(value);
  if (text.includes('\0')) throw new ExprFailure('Cannot shell-quote a string that contains a null byte');
  if (SAFE_IN_SH.test(text)) return text;
  return escapedText(text, ["'", "'"], /'/g, () => `'"'"'`, grow);
}

/**
 * Quotes one word for a batch file of cmd.exe. Line breaks are removed, because cmd.exe would end the command there;
 * `!` is escaped in case delayed expansion is on (RFC 0006).
 */
export function cmdWord(value: Value, grow: BeforeGrowth): string {
  const text = wordOf(value).replace(LINE_BREAKS, '');
  if (text !== '' && !NEEDS_QUOTES_IN_CMD.test(text)) return text;
  return escapedText(
    text,
    ['"', '"'],
    SPECIAL_IN_CMD,
    (character) => CMD_ESCAPES.get(character) ?? character,
    grow,
  );
}

/** Joins words with blanks. */
export const wordsOf = (
  list: ListValue,
  word: (value: Value, grow: BeforeGrowth) => string,
  grow: BeforeGrowth,
): string => joinGrowing(list, ['', ' ', ''], word, grow);

/**
 * Formats a literal of PowerShell. A list whose only element is a list has a comma before it; otherwise PowerShell
 * would merge the two.
 */
export function pwshLiteral(value: Value, grow: BeforeGrowth): string {
  if (typeof value === 'boolean') return value ? '$true' : '$false';
  if (typeof value === 'string') return pwshString(value, grow);
  if (typeof value !== 'object' || value === null) return `${value}`;
  switch (value.kind) {
    case 'float':
      return jsonOfFloat(value);
    case 'path':
      return pwshString(value.text, grow);
    case 'range':
      return pwshString(textOfRange(value), grow);
    case 'list': {
      const [first] = value.items;
      const one = value.items.length === 1 && typeof first === 'object' && first?.kind === 'list';
      return joinGrowing(value, [one ? '@(,' : '@(', ', ', ')'], pwshLiteral, grow);
    }
    case 'unresolved':
      throw new Error('a literal of a value that is not known');
  }
}

const pwshString = (text: string, grow: BeforeGrowth): string =>
  escapedText(text, ["'", "'"], SINGLE_QUOTES_IN_PWSH, (quote) => quote + quote, grow);
