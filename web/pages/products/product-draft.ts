import type { Product, ProductReplacement } from '../../../client/resources.ts';
import { PRODUCT_LIMITS, productTextErrors } from '../../../src/core/products/product-rules.ts';

/** The inputs of the form of a product. */
export interface ProductDraft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly readme: string;
  readonly template: string;
}

/** A field of the form that has its own error text; errors of the template have lines. */
export type ProductField = keyof typeof PRODUCT_LIMITS;

export const EMPTY_PRODUCT: ProductDraft = {
  name: '',
  title: '',
  description: '',
  category: '',
  version: '',
  readme: '',
  template: '',
};

/** Returns the inputs for an existing product. */
export const draftOf = ({
  name,
  title,
  description,
  category,
  version,
  readme,
  template,
}: Product): ProductDraft => ({ name, title, description, category, version, readme, template });

const isField = (name: string): name is ProductField => name in PRODUCT_LIMITS;

/** Returns the content of a product as the body of a request that replaces it. */
export const replacementOf = ({
  title,
  description,
  category,
  version,
  readme,
  template,
  format,
}: Product): ProductReplacement => ({ title, description, category, version, readme, template, format });

/** Returns the errors of a draft that need no server, by field. An empty name is missing, not malformed. */
export function draftErrors(draft: ProductDraft): ReadonlyMap<ProductField, string> {
  const errors = new Map<ProductField, string>();
  for (const [field, detail] of productTextErrors(draft)) {
    const isMissing = (field === 'name' || field === 'title') && draft[field].trim() === '';
    errors.set(field, isMissing ? 'Enter a value.' : `The ${field} ${detail}.`);
  }
  return errors;
}

interface ServerError {
  readonly pointer: string;
  readonly detail: string;
  readonly line?: number;
  readonly column?: number;
}

/** Errors of a rejected request: of fields, and of the template with their places. */
export interface RejectedDraft {
  readonly fields: ReadonlyMap<ProductField, string>;
  readonly template: readonly { readonly detail: string; readonly line?: number; readonly column?: number }[];
}

/**
 * Assigns the errors of a rejected request to fields. All that concern no field are errors of the template, as are all of
 * a response with status 422, whose pointers are into the template (docs/contract/products.md#routes).
 */
export function rejectedDraft(status: number, errors: readonly ServerError[]): RejectedDraft {
  const fields = new Map<ProductField, string>();
  const template: { detail: string; line?: number; column?: number }[] = [];
  for (const { pointer, detail, line, column } of errors) {
    const name = pointer.slice(1);
    if (status !== 422 && isField(name))
      fields.set(name, [fields.get(name), `The ${name} ${detail}.`].filter(Boolean).join('\n'));
    else
      template.push({
        detail: pointer === '' || pointer === '/template' ? detail : `${pointer}: ${detail}`,
        ...(line !== undefined && { line, column: column ?? 1 }),
      });
  }
  return { fields, template };
}

const MAX_NAME = 100;

/** Returns a valid product name made of a title; empty if it has no letter or digit of ASCII. */
export const nameFrom = (title: string): string =>
  title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
