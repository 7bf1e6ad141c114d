import { createRe2Engine } from './re2-engine.ts';
import { EXPR_LIMITS } from '../../openjd/expr/expr-limits.ts';
import type { ExprSettings } from '../../openjd/template/language/expressions.ts';

/** What commands evaluate expressions with: the limits of a service whose operator set none. */
export const EXPRESSIONS: ExprSettings = { limits: EXPR_LIMITS, regex: createRe2Engine() };
