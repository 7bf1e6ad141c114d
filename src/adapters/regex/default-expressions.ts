import { createRe2Engine } from './re2-engine.ts';
import { EXPR_LIMITS, LOCAL_EXPR_LIMITS } from '../../openjd/expr/expr-limits.ts';
import type { ExprSettings } from '../../openjd/template/language/expressions.ts';

const regex = createRe2Engine();

/** Settings for evaluating expressions as a service does with its default limits. */
export const EXPRESSIONS: ExprSettings = { limits: EXPR_LIMITS, regex };

/** Settings of the commands that work on this machine alone, with the limits of the specification. */
export const LOCAL_EXPRESSIONS: ExprSettings = { limits: LOCAL_EXPR_LIMITS, regex };
