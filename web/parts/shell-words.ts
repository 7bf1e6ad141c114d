/** Quotes a word for a POSIX shell if necessary. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Returns the curl call of a list request. */
export function curlOf(url: string, asked: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    for (const text of [value].flat()) if (text !== undefined) query.append(name, String(text));
  }
  return `curl ${shellWord(`${url}?${query.toString()}`)}`;
}
