import type { ProductDefinition } from '../../src/core/products/product-definition.ts';

/** Returns a product as text to compare with another version of it: its facts, its readme and its template as stored. */
export function comparableText(product: ProductDefinition): string {
  const { title, description, category, version, format, readme, template } = product;
  const facts = Object.entries({ title, description, category, version, format }).map(
    ([name, value]) => `${name}: ${value}\n`,
  );
  return `${facts.join('')}readme:\n${ended(readme)}template:\n${template}`;
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
