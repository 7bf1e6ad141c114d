import { TEMPLATE_LIMITS, type TemplateLimits } from '../../../core/openjd/template-limits.ts';

/** Tasks that `expand` lists; counts are whole (interface-decisions.md, "Commands"). */
export const MAX_LISTED_TASKS = 10_000;

/** Nothing is made in the number of tasks when templates are checked and expanded here, so there is no reason to limit them. */
export const LISTING_LIMITS: TemplateLimits = { ...TEMPLATE_LIMITS, maxTasksPerStep: Number.MAX_VALUE };
