/**
 * Returns a copy of the text that is a string of its own. A string decoded from a row may be a slice of the row's text.
 * A slice keeps the whole text in memory, and is slower to compare and search.
 */
export const detachString = (text: string): string => text.split('').join('');
