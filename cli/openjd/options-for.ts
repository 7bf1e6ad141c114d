import { LOCAL_EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { featuresOf } from './extensions-option.ts';
import { LISTING_LIMITS } from './listing-limits.ts';
import { memberOf } from './member-of.ts';

/** Options for a template without expressions: nothing compiles a regular expression. */
const WITHOUT_EXPRESSIONS: LanguageOptions = {
  limits: LISTING_LIMITS,
  expressions: {
    limits: LOCAL_EXPR_LIMITS,
    regex: { compile: () => ({ ok: false, detail: 'regular expressions require the extension EXPR' }) },
  },
};

/**
 * Returns the options for checking a document with the value of `--extensions`. The engine of regular expressions is loaded only for a template that
 * declares EXPR, or together with environment templates, so that the check of another one starts faster (docs/decisions/bundle.md#what-a-start-loads).
 */
export async function optionsFor(
  document: DocumentNode,
  extensions: string | undefined,
  hasEnvironments: boolean,
): Promise<LanguageOptions> {
  const supported = featuresOf(extensions);
  const declared = memberOf(document, 'extensions');
  const isNamed =
    declared?.kind === 'sequence' &&
    declared.items.some((item) => item.kind === 'string' && item.value === 'EXPR');
  const options = isNamed || hasEnvironments ? (await import('./limits.ts')).LISTING : WITHOUT_EXPRESSIONS;
  return { ...options, supported };
}
