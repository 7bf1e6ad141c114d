import { isCased, isCaseIgnorable } from './character-classes.ts';
import { widthAt, widthBefore } from './code-points.ts';

/** Characters whose title case is their upper case with all characters but the first lowered. */
const LIGATURES = /^[\u00df\u0587\ufb00-\ufb06\ufb13-\ufb17]$/;
/** Georgian letters and title case letters: they are their own title case, but not their own upper case. */
const OWN_TITLE =
  /^[\u01c5\u01c8\u01cb\u01f2\u10d0-\u10fa\u10fd-\u10ff\u1f88-\u1f8f\u1f98-\u1f9f\u1fa8-\u1faf\u1fbc\u1fcc\u1ffc]$/;
/** Croatian digraphs in three cases each; the second is the title case. */
const DIGRAPHS = /^[\u01c4-\u01cc\u01f1-\u01f3]$/;
/**
 * Greek letters with iota subscript that have a title case letter: eight code points later, or nine for three of them.
 */
const IOTA_BELOW = /^[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]$/;
const IOTA_BELOW_ALONE = /^[\u1fb3\u1fc3\u1ff3]$/;
/** Greek letters with accents and iota subscript: the iota remains a mark in title case. */
const IOTA_AND_ACCENT = /^[\u1fb2\u1fb4\u1fb7\u1fc2\u1fc4\u1fc7\u1ff2\u1ff4\u1ff7]$/;
const IOTA_MARK = '\u0345';

const SIGMA = 'Σ';
const FINAL_SIGMA = 'ς';

/** Returns the title case of one character by Unicode's full mapping: `ß` becomes `Ss`, `ǆ` becomes `ǅ`. */
function titleOf(character: string): string {
  const upper = character.toUpperCase();
  const code = character.charCodeAt(0);
  if (code < 0xdf || character.length > 1) return upper;
  if (OWN_TITLE.test(character)) return character;
  if (DIGRAPHS.test(character)) {
    const first = code >= 0x1f1 ? 0x1f1 : code - ((code - 0x1c4) % 3);
    return String.fromCharCode(first + 1);
  }
  if (LIGATURES.test(character)) return upper.charAt(0) + upper.slice(1).toLowerCase();
  if (IOTA_BELOW.test(character)) return String.fromCharCode(code + 8);
  if (IOTA_BELOW_ALONE.test(character)) return String.fromCharCode(code + 9);
  if (IOTA_AND_ACCENT.test(character)) return upper.slice(0, -1) + IOTA_MARK;
  return upper;
}

/** Returns the text with the first character in title case, the others in lower case (Python's `str.capitalize`). */
export function capitalized(text: string): string {
  if (text === '') return '';
  const first = text.slice(0, widthAt(text, 0));
  return titleOf(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

/**
 * Returns the text with each character after an uncased one in title case, the others in lower case (Python's
 * `str.title`).
 */
export function titled(text: string): string {
  const pieces: string[] = [];
  let inWord = false;
  for (let offset = 0; offset < text.length;) {
    const width = widthAt(text, offset);
    const character = text.slice(offset, offset + width);
    if (inWord) pieces.push(character === SIGMA ? loweredSigma(text, offset) : character.toLowerCase());
    else pieces.push(titleOf(character));
    inWord = isCased(character);
    offset += width;
  }
  return pieces.join('');
}

/**
 * Lowers a capital sigma, to its final form at the end of a word: after a cased character and not before one, ignoring
 * case-ignorable characters between them.
 */
function loweredSigma(text: string, offset: number): string {
  let before = offset;
  while (before > 0 && isCaseIgnorable(characterBefore(text, before))) before -= widthBefore(text, before);
  if (before === 0 || !isCased(characterBefore(text, before))) return 'σ';
  let after = offset + 1;
  while (after < text.length && isCaseIgnorable(characterAt(text, after))) after += widthAt(text, after);
  return after < text.length && isCased(characterAt(text, after)) ? 'σ' : FINAL_SIGMA;
}

const characterAt = (text: string, offset: number): string =>
  text.slice(offset, offset + widthAt(text, offset));

const characterBefore = (text: string, offset: number): string =>
  text.slice(offset - widthBefore(text, offset), offset);
