import { createRe2Engine } from './re2-engine.ts';
import { EXPR_LIMITS } from '../../openjd/expr/expr-limits.ts';
import type { ExprSettings } from '../../openjd/template/language/expressions.ts';

/** Settings for evaluating expressions in commands: the default limits of a service. */
export const EXPRESSIONS: ExprSettings = { limits: EXPR_LIMITS, regex: createRe2Engine() };
