import type { ExprContext } from '../../expr/evaluate/evaluate.ts';
import type { ExprLimits } from '../../expr/expr-limits.ts';
import type { RegexEngine } from '../../expr/regex/regex-engine.ts';

/** What a caller evaluates expressions with: this part of the program has no engine of regular expressions of its own. */
export interface ExprSettings {
  /** Of one evaluation. */
  readonly limits: ExprLimits;
  readonly regex: RegexEngine;
}

/** Where jobs are created paths are posix, and there are no functions of a host (specification "Expression Language", section "Path Format"). */
export const creationContext = (settings: ExprSettings): ExprContext => ({
  ...settings,
  pathStyle: 'posix',
  host: { kind: 'none' },
});

/** What a host will evaluate is checked before the host is known. */
export const uncertainHostContext = (settings: ExprSettings): ExprContext => ({
  ...settings,
  pathStyle: 'posix',
  host: { kind: 'unresolved' },
});
