import { DECIMAL, INTEGER } from '../../primitives/numbers.ts';
import { CONTROL, CONTROL_BUT_LINES, IDENTIFIER } from '../../primitives/text-rules.ts';
import type { ExtensionName } from '../extensions.ts';
import type { TextRule } from '../text-checks.ts';
import { limitsOf, type TemplateLimits } from '../template-limits.ts';
import { listOf, valueOf, type JsonSchema, type SchemaNode } from './schema-node.ts';

/** Text with a reference or an expression, which is resolved later. */
export const FORMAT_STRING: JsonSchema = { type: 'string', pattern: '\\{\\{' };

/** Returns the pattern of a text that matches the expression when blanks around it are removed. */
const trimmed = ({ source }: RegExp): string =>
  `^\\s*(?:${source.replace(/^\^/, '').replace(/\$$/, '')})\\s*$`;

const MIN_INT64 = -(2 ** 63);
const MAX_INT64 = 2 ** 63;
const NOT_NEGATIVE = { not: { pattern: '^\\s*-0*[1-9]' } } as const;
const POSITIVE = { not: { pattern: '^\\s*(?:-|[+]?0+\\s*$)' } } as const;

/** Returns the schema of an integer, which may be written as text. */
export const integerSchema = (min: 0 | 1 | null = null, max: number | null = null): JsonSchema => ({
  anyOf: [
    { type: 'integer', minimum: min ?? MIN_INT64, maximum: max ?? MAX_INT64 },
    {
      type: 'string',
      pattern: trimmed(INTEGER),
      ...(min === 1 ? POSITIVE : min === 0 ? NOT_NEGATIVE : {}),
    },
  ],
});

/** Returns the schema of a finite number, which may be written as text. */
export const decimalSchema = (bounds: JsonSchema = {}): JsonSchema => ({
  anyOf: [
    { type: 'number', ...bounds },
    { type: 'string', pattern: trimmed(DECIMAL) },
  ],
});

/** Returns the schema of a text by the rule of the checker. */
export function textSchema({ min, max, control }: TextRule): JsonSchema {
  return {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    ...(max === Number.MAX_SAFE_INTEGER ? {} : { maxLength: max }),
    ...(control === 'any' ? {} : { not: { pattern: controlOf(control).source } }),
  };
}

const controlOf = (control: 'none' | 'lines'): RegExp => (control === 'none' ? CONTROL : CONTROL_BUT_LINES);

export const identifierSchema = (max: number): JsonSchema => ({
  type: 'string',
  pattern: IDENTIFIER.source,
  maxLength: max,
});

/** Returns a text without a limit while it has references, because the limit counts for the resolved text. */
export const resolvedText = (schema: JsonSchema): JsonSchema => ({ anyOf: [FORMAT_STRING, schema] });

const WITH_BUNDLE: ReadonlySet<string> = new Set(['FEATURE_BUNDLE_1'] satisfies readonly ExtensionName[]);

/** Returns a value whose limits are larger with FEATURE_BUNDLE_1. */
export const limitedValue = (
  limits: TemplateLimits,
  schemaOf: (limits: TemplateLimits) => JsonSchema,
): SchemaNode => valueOf(schemaOf(limitsOf(limits, WITH_BUNDLE)), { FEATURE_BUNDLE_1: schemaOf(limits) });

/** Returns a list that may have more items with FEATURE_BUNDLE_1. */
export const limitedList = (
  items: SchemaNode,
  limits: TemplateLimits,
  maxOf: (limits: TemplateLimits) => number,
): SchemaNode =>
  listOf(items, maxOf(limitsOf(limits, WITH_BUNDLE)), { FEATURE_BUNDLE_1: { maxItems: maxOf(limits) } });

/** Returns a value that may be a format string with FEATURE_BUNDLE_1. */
export const formattedValue = (schema: JsonSchema): SchemaNode =>
  valueOf(resolvedText(schema), { FEATURE_BUNDLE_1: schema });

export const identifierNode = (limits: TemplateLimits): SchemaNode =>
  limitedValue(limits, ({ maxIdentifier }) => identifierSchema(maxIdentifier));

/** Returns the pattern of a text in any case: `^[iI][nN][tT]$`. */
export const anyCasePattern = (texts: readonly string[]): string => `^(?:${texts.map(anyCase).join('|')})$`;

/** Returns the pattern of a text in upper and lower case, without anchors. */
export const anyCase = (text: string): string =>
  text
    .replaceAll(/[.[\]]/g, '\\$&')
    .replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

/** Returns words that are accepted in any case. Editors suggest them as they are listed. */
export const wordsInAnyCase = (words: readonly string[]): JsonSchema => ({
  anyOf: [{ enum: words }, { type: 'string', pattern: anyCasePattern(words) }],
});
