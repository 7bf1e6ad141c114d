/** A number with one place after the point at most: `1,234.5`. */
export const numberText = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** So many things in words: `1 task`, `1,234 tasks`. `many` is for words that do not just end with an s. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;
