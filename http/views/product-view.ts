import type { DescribedProduct } from '../../src/core/products/product-library.ts';
import type { ProductDefinition } from '../../src/core/products/product-definition.ts';
import { isNewerVersion } from '../../src/core/products/product-rules.ts';
import type { ProductRecord } from '../../src/core/records/product.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import { retryRulesView } from './retry-rules-view.ts';
import type { Schemas } from './schemas.ts';

/** A product of either kind: built into the service, or stored. */
export type AnyProduct =
  | { readonly kind: 'builtin'; readonly definition: ProductDefinition }
  | { readonly kind: 'stored'; readonly record: ProductRecord };

export const definitionOf = (product: AnyProduct): ProductDefinition =>
  product.kind === 'builtin' ? product.definition : product.record.definition;

/** docs/contract/products.md#fields. */
export function productView(product: AnyProduct): Schemas['Product'] {
  const { readme, template, retryRules } = definitionOf(product);
  return { ...productSummaryView(product), readme, template, ...retryRulesView(retryRules) };
}

/** Returns a product without its readme and template. */
export function productSummaryView(product: AnyProduct): Schemas['ProductSummary'] {
  const { name, title, description, category, version, format } = definitionOf(product);
  const texts = { name, title, description, category, version, format };
  if (product.kind === 'builtin') return { ...texts, source: 'builtin' };
  const { record } = product;
  return {
    ...texts,
    source: record.source,
    revision: record.revision,
    created_at: timestampOf(record.createdAt),
    updated_at: timestampOf(record.updatedAt),
  };
}

export const storedProductView = (record: ProductRecord): Schemas['Product'] =>
  productView({ kind: 'stored', record });

export const productRevisionView = (record: ProductRecord): Schemas['ProductRevision'] => ({
  revision: record.revision,
  title: record.definition.title,
  version: record.definition.version,
  saved_at: timestampOf(record.updatedAt),
  saved_by: record.savedBy,
  product: storedProductView(record),
});

/** Returns a preset; `stored` is the product of its name, if there is one. */
export function presetView(
  { definition, description }: DescribedProduct,
  stored: ProductRecord | undefined,
): Schemas['Preset'] {
  const { name, title, category, version } = definition;
  const isInstalled = stored?.source === 'installed';
  const installedVersion = isInstalled ? stored.definition.version : null;
  return {
    name,
    title,
    description: definition.description,
    category,
    version,
    installed: isInstalled,
    installed_version: installedVersion,
    update_available: installedVersion !== null && isNewerVersion(version, installedVersion),
    usage_pools: [...description.usagePools],
    tags: [...description.tags],
  };
}

export function presetDetailView(
  preset: DescribedProduct,
  stored: ProductRecord | undefined,
): Schemas['PresetDetail'] {
  const { readme, template, format, retryRules } = preset.definition;
  return {
    ...presetView(preset, stored),
    readme,
    template,
    format,
    ...retryRulesView(retryRules),
    parameters: [...preset.description.parameters],
  };
}
