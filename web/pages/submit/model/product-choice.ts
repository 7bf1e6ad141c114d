import type { ProductSummary } from '../../../../client/resources.ts';

/** Number of recently used products that are kept. */
const RECENT_MAX = 8;

export interface ProductChoice {
  readonly search: string;
  /** Empty for all. */
  readonly category: string;
  /** Names, the last used first. */
  readonly recent: readonly string[];
  readonly favourites: readonly string[];
}

/**
 * Returns the products that match every word of the search in name, title, description or category: favourites first, then
 * the recently used ones, then by title.
 */
export function chosenProducts(
  products: readonly ProductSummary[],
  { search, category, recent, favourites }: ProductChoice,
): readonly ProductSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const rankOf = ({ name }: ProductSummary): number => {
    if (favourites.includes(name)) return 0;
    const at = recent.indexOf(name);
    return at === -1 ? RECENT_MAX + 1 : 1 + at;
  };
  return products
    .filter((product) => {
      const text =
        `${product.name} ${product.title} ${product.description} ${product.category}`.toLowerCase();
      return (category === '' || product.category === category) && words.every((word) => text.includes(word));
    })
    .toSorted((left, right) => rankOf(left) - rankOf(right) || left.title.localeCompare(right.title));
}

/** Returns the recently used products after one was used. */
export const withRecent = (recent: readonly string[], name: string): readonly string[] =>
  [name, ...recent.filter((other) => other !== name)].slice(0, RECENT_MAX);

/** Returns the favourites with the product added or removed. */
export const withFavourite = (favourites: readonly string[], name: string): readonly string[] =>
  favourites.includes(name) ? favourites.filter((other) => other !== name) : [...favourites, name];

/** Validates a stored list of names. */
export const asNames = (kept: unknown): readonly string[] | null =>
  Array.isArray(kept) && kept.every((name) => typeof name === 'string') ? kept : null;
