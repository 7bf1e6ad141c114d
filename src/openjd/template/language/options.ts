import type { SupportedFeatures } from '../extensions.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { ExprSettings } from './expressions.ts';

/** Options for validating a template. */
export interface LanguageOptions {
  readonly expressions: ExprSettings;
  /** Absent: TEMPLATE_LIMITS. */
  readonly limits?: TemplateLimits;
  /** Absent: LANGUAGE_FEATURES. */
  readonly supported?: SupportedFeatures;
}
