import { characters, hasControl, hasControlExceptNewlines } from '../../openjd/primitives/text-rules.ts';

/** Limits of the texts of a product, in characters (docs/contract/products.md#fields). */
export const PRODUCT_LIMITS = {
  name: 255,
  title: 255,
  description: 500,
  readme: 8_000,
  category: 255,
  version: 255,
} as const;

const NAME = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*)?$/;
const SEMANTIC_VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** The texts of a product that describe it. */
export interface ProductTexts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readme: string;
  readonly category: string;
  readonly version: string;
}

/** Returns what is wrong with each text of a product, by field, or nothing (docs/contract/products.md#fields). */
export function productTextErrors(
  texts: ProductTexts,
): readonly [field: keyof ProductTexts, detail: string][] {
  const fields = ['name', 'title', 'description', 'readme', 'category', 'version'] as const;
  return fields.flatMap((field): [keyof ProductTexts, string][] => {
    const detail = textError(field, texts[field]);
    return detail === null ? [] : [[field, detail]];
  });
}

function textError(field: keyof ProductTexts, text: string): string | null {
  if (characters(text) > PRODUCT_LIMITS[field])
    return `must not have more than ${PRODUCT_LIMITS[field]} characters, and has ${characters(text)}`;
  switch (field) {
    case 'name':
      return NAME.test(text)
        ? null
        : 'must consist of lower-case letters, digits, - and _, start with a letter or digit, and have at most one slash';
    case 'title':
      return text.trim() === '' || hasControl(text) ? 'must not be blank or hold control characters' : null;
    case 'category':
      return hasControl(text) ? 'must not hold control characters' : null;
    case 'version':
      return text === '' || SEMANTIC_VERSION.test(text) ? null : 'must be a semantic version such as 1.2.0';
    case 'description':
    case 'readme':
      return hasControlExceptNewlines(text)
        ? 'must not hold control characters except line breaks and tabs'
        : null;
  }
}

/**
 * Reports whether a semantic version is newer than another (Semantic Versioning 2.0.0, section 11). A text that is not a
 * semantic version is older than every version.
 */
export function isNewerVersion(version: string, than: string): boolean {
  const [left, right] = [SEMANTIC_VERSION.exec(version), SEMANTIC_VERSION.exec(than)];
  if (left === null || right === null) return left !== null;
  for (const part of [1, 2, 3]) {
    const order = compareNumbers(left[part] ?? '', right[part] ?? '');
    if (order !== 0) return order > 0;
  }
  return comparePrereleases(left[4], right[4]) > 0;
}

/** Numbers have no leading zeros, so the longer one is greater. */
const compareNumbers = (left: string, right: string): number =>
  left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);

function comparePrereleases(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
  const [lefts, rights] = [left.split('.'), right.split('.')];
  for (const [index, each] of lefts.entries()) {
    const other = rights[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(each, other);
    if (order !== 0) return order;
  }
  return lefts.length - rights.length;
}

function compareIdentifiers(left: string, right: string): number {
  const areNumbers = [left, right].map((text) => /^\d+$/.test(text));
  if (areNumbers[0] === true && areNumbers[1] === true) return compareNumbers(left, right);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] === true ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}
