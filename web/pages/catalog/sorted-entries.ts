import type { Sort } from '../../parts/data-table/column.ts';
import type { CatalogEntry } from './catalog.ts';

const ORDER = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/**
 * Returns the entries that have all words of the search in their name or description, sorted by a member. Texts are
 * sorted by the rules of the locale, numbers by value.
 */
export function sortedEntries<Entry extends CatalogEntry>(
  entries: readonly Entry[],
  search: string,
  { key, dir }: Sort,
): readonly Entry[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const isMatch = (entry: Entry): boolean => {
    const text = `${entry.name} ${textOf(memberOf(entry, 'description'))}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const sign = dir === 'asc' ? 1 : -1;
  return entries
    .filter(isMatch)
    .sort((one, other) => sign * compareMembers(memberOf(one, key), memberOf(other, key)));
}

const memberOf = (entry: object, key: string): unknown =>
  new Map<string, unknown>(Object.entries(entry)).get(key);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function compareMembers(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  // An entry without a number inherits one and comes first.
  if (typeof one === 'number' || typeof other === 'number') return typeof one === 'number' ? 1 : -1;
  return ORDER.compare(textOf(one), textOf(other));
}
