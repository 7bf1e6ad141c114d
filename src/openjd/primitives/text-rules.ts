/** Rules of plain text in templates (specification, section 7). */

/** Control characters (Unicode category Cc). */
export const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
export const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
export const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_SHOWN = 60;

/** Length in characters (code points). */
export function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
    }
  }
  return count;
}

export const hasControl = (text: string): boolean => CONTROL.test(text);

/** A control character in a text, with its offset and its name for messages. */
export interface ControlCharacter {
  readonly offset: number;
  readonly name: string;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\n', 'a line feed'],
  ['\r', 'a carriage return'],
  ['\t', 'a tab'],
  ['\0', 'a null character'],
  ['\u001b', 'an escape character'],
]);

/** Returns the first control character of a text, or null. With `allowsLines`, line feed, carriage return and tab are allowed. */
export function firstControl(text: string, allowsLines: boolean): ControlCharacter | null {
  const found = (allowsLines ? CONTROL_BUT_LINES : CONTROL).exec(text);
  if (found === null) return null;
  const [character] = found;
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES.get(character);
  return {
    offset: found.index,
    name: name === undefined ? `the control character ${code}` : `${name} (${code})`,
  };
}

/** Control characters other than line feed, carriage return and tab. */
export const hasControlExceptNewlines = (text: string): boolean => CONTROL_BUT_LINES.test(text);

/** Letters, digits and underscore of ASCII, not beginning with a digit; the length is a separate rule. */
export const isIdentifier = (text: string): boolean => IDENTIFIER.test(text);

/** Returns the text with its ASCII letters in upper case: a dotless i does not become an I. */
export const inUpperCase = (text: string): string =>
  text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());

/** Returns a text for a message: quoted, escaped and not longer than a line. */
export function quoteForMessage(text: string): string {
  const clipped = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return JSON.stringify(clipped);
}
