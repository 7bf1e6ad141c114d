/** So many things in words: `1 task`, `1,234 tasks`. `many` is for a word that does not end with an s. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`;
