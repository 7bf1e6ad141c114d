/** A field such as `{task_counts.failed}`, an escape such as `\n`, or a doubled brace. */
const PARTS = /\{\{|\}\}|\{([^{}]*)\}|\\([nt\\])/g;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['\\', '\\'],
]);

/**
 * Fills a template with the fields of an item: `{name}`, `{task_counts.failed}`, `{steps.0.name}`. A missing field is
 * empty, an object or a list is JSON. `{{` and `}}` are braces; `\n`, `\t` and `\\` are escapes.
 */
export const templateText = (template: string, item: object): string =>
  template.replaceAll(PARTS, (part, path: string | undefined, escape: string | undefined) => {
    if (part === '{{' || part === '}}') return part.slice(1);
    if (escape !== undefined) return ESCAPES.get(escape) ?? part;
    return fieldText(fieldAt(item, path ?? ''));
  });

function fieldAt(item: unknown, path: string): unknown {
  return path
    .trim()
    .split('.')
    .reduce(
      (value: unknown, key) =>
        typeof value === 'object' && value !== null
          ? new Map<string, unknown>(Object.entries(value)).get(key)
          : undefined,
      item,
    );
}

function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
