/** Words in error messages. Matching case separates `ValueError` from "terror". */
const ERROR_WORDS = [
  '[Ee]rrors?|ERRORS?',
  '[Ff]atal|FATAL',
  '[Ff]ailed|FAILED|[Ff]ailure|FAILURE',
  '[Tt]raceback|[Pp]anic|PANIC',
  '[Ss]egmentation fault',
  '[Aa]borted|ABORTED',
  String.raw`[\w.]*Exception|[A-Z]\w*Error`,
].join('|');

/** Source of a regular expression, without flags, that finds lines that look like errors. "0 errors" does not match. */
export const ERROR_LINE_SOURCE = String.raw`^\s*openjd_fail:|(?<!\b(?:0|[Nn]o|without)\s)\b(?:${ERROR_WORDS})\b(?!\s*[:=]\s*0\b)`;

const ERROR_LINE = new RegExp(ERROR_LINE_SOURCE);
const NUMBERS = /\d+/g;

/** Reports whether a line of a log looks like an error. */
export const isErrorLine = (line: string): boolean => ERROR_LINE.test(line);

/**
 * Returns a key that failures with the same cause share: the reason and the error line, in which numbers, such as those
 * of frames, count as equal. Without an error line, `errorLine` is empty.
 */
export const failureKeyOf = (reason: string, errorLine: string): string =>
  `${reason}\n${errorLine.replace(NUMBERS, '#')}`;

/** Returns the error line of an excerpt: its last one. */
export const errorLineOf = (excerpt: string): string => excerpt.slice(excerpt.lastIndexOf('\n') + 1);
