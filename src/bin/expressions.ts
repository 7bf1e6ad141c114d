import { createRe2Engine } from '../adapters/regex/re2-engine.ts';
import { EXPR_LIMITS } from '../core/expr/expr-limits.ts';
import type { ExprSettings } from '../core/openjd/language/expressions.ts';

/** What commands evaluate expressions with: the limits of a service whose operator set none. */
export const EXPRESSIONS: ExprSettings = { limits: EXPR_LIMITS, regex: createRe2Engine() };
