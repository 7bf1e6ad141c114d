/**
 * Returns the value at a path of a bench's figures: names between dots; `name[key=value,...]` is the first entry of the list
 * with these values (`[key=value]` when the figures themselves are the list). Undefined when there is nothing.
 */
export function valueAt(figures: unknown, path: string): unknown {
  let at: unknown = figures;
  for (const step of path === '' ? [] : path.split('.')) {
    const match = /^([^[]*)(?:\[([^\]]+)\])?$/.exec(step);
    if (match === null) throw new Error(`${path} is not a path`);
    const [, name = '', conditions] = match;
    if (name !== '') at = fieldOf(at, name);
    if (conditions !== undefined) at = entryOf(at, conditions);
  }
  return at;
}

/** Returns the same if it is a number, else null. */
export function numberAt(figures: unknown, path: string): number | null {
  const value = valueAt(figures, path);
  return typeof value === 'number' ? value : null;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (Object.getOwnPropertyDescriptor(value, name)?.value as unknown)
    : undefined;
}

function entryOf(value: unknown, conditions: string): unknown {
  if (!Array.isArray(value)) return undefined;
  const wanted = conditions.split(/,(?=\w+=)/).map((condition) => condition.split('='));
  const list: readonly unknown[] = value;
  return list.find((entry) => wanted.every(([name = '', text]) => String(fieldOf(entry, name)) === text));
}
