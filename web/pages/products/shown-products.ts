import type { ProductSource } from '../../../client/resources.ts';
import type { Sort } from '../../parts/data-table/column.ts';

/** The texts of a product or preset by which a list is searched and sorted. */
export interface ListedProduct {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly source?: ProductSource;
  readonly updated_at?: string;
}

export interface ProductFilters {
  readonly search: string;
  readonly category: string;
}

/** Label of each source of a product. */
export const SOURCE_LABELS: Readonly<Record<ProductSource, string>> = {
  builtin: 'built-in',
  custom: 'custom',
  installed: 'installed preset',
};

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the categories of the products, sorted, without duplicates and without the empty one. */
export const categoriesOf = (products: readonly ListedProduct[]): readonly string[] =>
  [...new Set(products.map(({ category }) => category))]
    .filter((category) => category !== '')
    .sort((one, other) => ORDER.compare(one, other));

/**
 * Returns the products of a category (empty: all) that have each word of the search in their name, title, description
 * or category, sorted by a member. Equal ones are sorted by name.
 */
export function shownProducts<Product extends ListedProduct>(
  products: readonly Product[],
  { search, category }: ProductFilters,
  { key, dir }: Sort,
): readonly Product[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const sign = dir === 'asc' ? 1 : -1;
  const isShown = (product: Product): boolean => {
    if (category !== '' && product.category !== category) return false;
    const text = `${product.name} ${product.title} ${product.description} ${product.category}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return products
    .filter(isShown)
    .sort(
      (one, other) =>
        sign * ORDER.compare(sortText(one, key), sortText(other, key)) || ORDER.compare(one.name, other.name),
    );
}

function sortText(product: ListedProduct, key: string): string {
  switch (key) {
    case 'title':
      return product.title;
    case 'category':
      return product.category;
    case 'version':
      return product.version;
    case 'source':
      return product.source ?? '';
    case 'updated_at':
      return product.updated_at ?? '';
    default:
      return product.name;
  }
}

/** Returns the path of the page of a product or preset. A slash of the name is one of the path. */
export const productHref = (name: string): string => `/products/${name}`;
export const presetHref = (name: string): string => `/presets/${name}`;

/** Returns why a product cannot be changed; empty for a custom one. */
export function readOnlyReason(source: ProductSource): string {
  if (source === 'builtin')
    return 'This product is built in: it is part of the server or of a folder that its configuration names.';
  return source === 'installed'
    ? 'This product is an installed preset: only an update of the preset changes it.'
    : '';
}
