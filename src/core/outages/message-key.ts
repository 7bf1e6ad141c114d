const ESCAPES = /\u001B\[[0-9;]*[A-Za-z]/g;
const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s'"<>)\]]+/gi;
const UUIDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
/** Of Windows, of UNC shares, and absolute or relative ones with at least one slash. */
const PATHS = /(?:\b[A-Za-z]:|\\)?(?:[\\/][\w.@%+~$#-]+)+[\\/]?|\b[\w.@%+~-]+(?:[\\/][\w.@%+~$#-]+)+/g;
/** Hexadecimal digits with at least one number in them, such as addresses and ids. */
const IDS = /\b(?:0x[0-9a-f]+|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,})\b/gi;
const NUMBERS = /\d+/g;
const BLANKS = /\s+/g;

/** Words of messages that only say that something has failed. */
const GENERIC =
  /\b(?:the|a|an|task|action|command|process|job|failed|failure|exit|exited|exits|status|code|signal|with|by|on|was|error)\b|[^\p{L}]/gu;

const KEY_CHARACTERS_MAX = 200;
/** A longer text is cut before it is searched. */
const TEXT_CHARACTERS_MAX = 1000;

/** Returns a message in lower case and without what differs between failures of one cause: numbers, paths, ids, times. */
const normalized = (text: string): string =>
  text
    .slice(0, TEXT_CHARACTERS_MAX)
    .replace(ESCAPES, '')
    .replace(URLS, '<url>')
    .replace(UUIDS, '<id>')
    .replace(PATHS, '<path>')
    .replace(IDS, '<id>')
    .replace(NUMBERS, '#')
    .replace(BLANKS, ' ')
    .trim()
    .toLowerCase()
    .slice(0, KEY_CHARACTERS_MAX);

const isGeneric = (key: string): boolean => key.replace(/<[a-z]+>/g, '').replace(GENERIC, '') === '';

/**
 * Returns the key that failures with the same cause share, and the text that it was made from: the error line of the
 * log, or the message of the worker. The key is empty if neither says more than that something has failed, such as
 * `exit status 1`: equal texts then mean nothing.
 */
export function messageKeyOf(
  message: string,
  errorLine: string,
): { readonly key: string; readonly text: string } {
  for (const text of [errorLine, message]) {
    const key = normalized(text);
    if (!isGeneric(key)) return { key, text: text.trim().slice(0, KEY_CHARACTERS_MAX) };
  }
  return { key: '', text: message };
}
