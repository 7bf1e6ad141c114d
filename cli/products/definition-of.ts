import type { Product } from '../../client/resources.ts';
import type { ProductDefinition } from '../../src/core/products/product-definition.ts';

/** Returns what a definition file holds of a product. */
export const definitionOf = ({
  name,
  title,
  description,
  category,
  version,
  readme,
  template,
  format,
}: Product): ProductDefinition => ({
  name,
  title,
  description,
  category,
  version,
  readme,
  template,
  format,
});
