/** Parses a query string to values by name, in order of arrival. Null if an escape is malformed. `+` is a space. */
export function parseQueryString(query: string): ReadonlyMap<string, readonly string[]> | null {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    const value = decodeForm(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === null || value === null) return null;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function decodeForm(text: string): string | null {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Decodes percent escapes; null if one is malformed or the bytes are not UTF-8. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
