const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the settings of a configuration file by dotted key, or null if the document is not a map. `http: {addr: x}`
 * and `http.addr: x` are equivalent. A map that is the value of a known key is not split.
 */
export function fileValues(
  document: unknown,
  isKey: (name: string) => boolean,
): readonly (readonly [key: string, value: unknown])[] | null {
  if (document === null || document === undefined) return [];
  if (!isMap(document)) return null;
  const values: (readonly [string, unknown])[] = [];
  const walk = (map: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(map)) {
      const key = prefix + name;
      if (isMap(value) && !isKey(key)) walk(value, `${key}.`);
      else values.push([key, value]);
    }
  };
  walk(document, '');
  return values;
}
