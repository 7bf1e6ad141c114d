import { fieldsOfRule } from '../../src/core/retry-rules/retry-rule.ts';
import type { ProductDefinition } from '../../src/core/products/product-definition.ts';

/** Returns a product as text to compare with another version of it: its facts, its readme and its template as stored. */
export function comparableText(product: ProductDefinition): string {
  const { title, description, category, version, format, readme, template, retryRules = [] } = product;
  const facts = Object.entries({ title, description, category, version, format }).map(
    ([name, value]) => `${name}: ${value}\n`,
  );
  const rules = retryRules.map((rule) => `retry rule: ${JSON.stringify(fieldsOfRule(rule))}\n`);
  return `${facts.join('')}${rules.join('')}readme:\n${ended(readme)}template:\n${template}`;
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
