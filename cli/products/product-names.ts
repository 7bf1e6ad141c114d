import { productTextErrors } from '../../src/core/products/product-rules.ts';

/** Reports whether a text is a valid name. Names of a server can be invalid only if it does not follow the contract. */
export const isProductName = (name: string): boolean =>
  productTextErrors({ name, title: 'any', description: '', readme: '', category: '', version: '' }).length ===
  0;

/** Formats names one per line for a shell, without invalid ones: a shell would evaluate them when it completes a word. */
export const namesText = (items: readonly { readonly name: string }[]): string =>
  items
    .filter(({ name }) => isProductName(name))
    .map(({ name }) => `${name}\n`)
    .join('');
