import type { SupportedFeatures } from '../extensions.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { ExprSettings } from './expressions.ts';

/** Returns a path of a job parameter as this machine finds it, or why it cannot be used. */
export type LocalPath = (
  path: string,
  source: 'default' | 'submitted',
) => { readonly ok: true; readonly path: string } | { readonly ok: false; readonly detail: string };

/** Options for validating a template. */
export interface LanguageOptions {
  readonly expressions: ExprSettings;
  /** Absent: TEMPLATE_LIMITS. */
  readonly limits?: TemplateLimits;
  /** Absent: LANGUAGE_FEATURES. */
  readonly supported?: SupportedFeatures;
  /** Applied to the values of paths, when a job is created. Absent: they stay as they are. */
  readonly localPath?: LocalPath;
}
