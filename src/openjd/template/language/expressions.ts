import type { ExprContext } from '../../expr/evaluate/evaluate.ts';
import type { ExprLimits } from '../../expr/expr-limits.ts';
import type { RegexEngine } from '../../expr/regex/regex-engine.ts';

/**
 * Settings for evaluating expressions. The caller provides them, because this package has no regular expression engine
 * of its own.
 */
export interface ExprSettings {
  /** Limits of one evaluation. */
  readonly limits: ExprLimits;
  readonly regex: RegexEngine;
}

/**
 * At job creation paths are posix, and there are no host functions (specification "Expression Language", section "Path
 * Format").
 */
export const creationContext = (settings: ExprSettings): ExprContext => ({
  ...settings,
  pathStyle: 'posix',
  host: { kind: 'none' },
});

/** Context for expressions that a host will evaluate, checked before the host is known. */
export const uncertainHostContext = (settings: ExprSettings): ExprContext => ({
  ...settings,
  pathStyle: 'posix',
  host: { kind: 'unresolved' },
});
