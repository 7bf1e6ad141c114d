/**
 * The text as a string of its own. A string that was decoded from a row may be a slice of the whole row's text, which it
 * would keep in memory, and which is slower to compare and search.
 */
export const detachString = (text: string): string => text.split('').join('');
