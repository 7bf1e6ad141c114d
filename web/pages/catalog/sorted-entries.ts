import type { Sort } from '../../parts/data-table/column.ts';
import type { CatalogEntry } from './catalog.ts';

const ORDER = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The entries with the words in their name or description, in the order of a member: texts as people sort them, numbers by size. */
export function sortedEntries<Entry extends CatalogEntry>(
  entries: readonly Entry[],
  search: string,
  { key, dir }: Sort,
): readonly Entry[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const has = (entry: Entry): boolean => {
    const text = `${entry.name} ${textOf(memberOf(entry, 'description'))}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const sign = dir === 'asc' ? 1 : -1;
  return entries.filter(has).sort((one, other) => sign * compared(memberOf(one, key), memberOf(other, key)));
}

const memberOf = (entry: object, key: string): unknown =>
  new Map<string, unknown>(Object.entries(entry)).get(key);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function compared(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  // What has no number inherits one: it comes first.
  if (typeof one === 'number' || typeof other === 'number') return typeof one === 'number' ? 1 : -1;
  return ORDER.compare(textOf(one), textOf(other));
}
