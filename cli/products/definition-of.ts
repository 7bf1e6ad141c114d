import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { readRetryRules } from '../../src/core/retry-rules/read-rules.ts';
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
  retry_rules: fields = [],
}: Product): ProductDefinition => ({
  name,
  title,
  description,
  category,
  version,
  readme,
  template,
  format,
  ...rulesOf(fields),
});

/** The server has checked the rules, with the same code. */
function rulesOf(fields: NonNullable<Product['retry_rules']>): Pick<ProductDefinition, 'retryRules'> {
  const read = readRetryRules(fields, '/retry_rules', createRe2Engine());
  return read.ok && read.rules.length > 0 ? { retryRules: read.rules } : {};
}
