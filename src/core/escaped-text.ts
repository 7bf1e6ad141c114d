/** Control characters and line separators. */
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Characters that change the writing direction. */
export const DIRECTION_CHARACTERS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Replaces the matching characters with their code, for example `\\u202e`. The pattern matches single UTF-16 units. */
export const escapeMatches = (text: string, pattern: RegExp): string =>
  text.replaceAll(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Shows characters that change the writing direction as their code. Returns other text as it is. */
export const showDirections = (text: string): string => escapeMatches(text, DIRECTION_CHARACTERS);
