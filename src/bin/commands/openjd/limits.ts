import type { LanguageOptions } from '../../../core/openjd/language/options.ts';
import { TEMPLATE_LIMITS } from '../../../core/openjd/template-limits.ts';
import { EXPRESSIONS } from '../../expressions.ts';

/** Tasks that `expand` lists; counts are whole (interface-decisions.md, "Commands"). */
export const MAX_LISTED_TASKS = 10_000;

/** Nothing is made in the number of tasks when templates are checked and expanded here, so there is no reason to limit them. */
export const LISTING: LanguageOptions = {
  limits: { ...TEMPLATE_LIMITS, maxTasksPerStep: Number.MAX_VALUE },
  expressions: EXPRESSIONS,
};
