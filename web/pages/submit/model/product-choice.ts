import type { ProductSummary } from '../../../../client/resources.ts';
import { shownProducts, type ProductFilters } from '../../products/shown-products.ts';

/** Number of recently used products that are kept. */
const RECENT_MAX = 8;

export interface ProductChoice extends ProductFilters {
  /** Names, the last used first. */
  readonly recent: readonly string[];
  readonly favourites: readonly string[];
}

/** Returns the products that `shownProducts` finds: favourites first, then the recently used ones, then by title. */
export function chosenProducts(
  products: readonly ProductSummary[],
  { recent, favourites, ...filters }: ProductChoice,
): readonly ProductSummary[] {
  const rankOf = ({ name }: ProductSummary): number => {
    if (favourites.includes(name)) return 0;
    const at = recent.indexOf(name);
    return at === -1 ? RECENT_MAX + 1 : 1 + at;
  };
  return shownProducts(products, filters, { key: 'title', dir: 'asc' }).toSorted(
    (left, right) => rankOf(left) - rankOf(right),
  );
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
