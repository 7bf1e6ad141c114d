import type { ProductDefinition } from '../products/product-definition.ts';

/** A stored product (docs/contract/products.md). Times are milliseconds since the epoch. */
export interface ProductRecord {
  readonly version: 1;
  readonly definition: ProductDefinition;
  readonly source: 'custom' | 'installed';
  /** Counts the changes from 1. */
  readonly revision: number;
  /** Username of who saved this revision. */
  readonly savedBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Maximum number of revisions of a product that are kept, with the present one. */
export const REVISIONS_MAX = 20;
