/** Returns the text of a filter as a query parameter; undefined for an empty filter. */
export const optionalText = (text: string): string | undefined => (text === '' ? undefined : text);
