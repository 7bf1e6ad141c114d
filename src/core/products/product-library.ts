import type { TemplateDescription } from '../../openjd/template/describe-template.ts';
import type { ProductDefinition } from './product-definition.ts';

/** A product that the service itself has: its template is valid. */
export interface DescribedProduct {
  readonly definition: ProductDefinition;
  readonly description: TemplateDescription;
}

/** Products by name. */
export type DescribedProducts = ReadonlyMap<string, DescribedProduct>;

/**
 * The products that come with the service or with the definition files of its operator
 * (docs/contract/products.md#built-in-products). Each method resolves after the files are read, which happens at the
 * first call and at a reload.
 */
export interface ProductLibrary {
  /** Built-in products: those of the contract, the additional ones, and those of `products.dir`. */
  builtIns(): Promise<DescribedProducts>;
  /** Products that can be installed: those that come with the service, and those of `presets.dir`. */
  presets(): Promise<DescribedProducts>;
}
