import { TEMPLATE_LIMITS, type TemplateLimits } from '../../src/openjd/template/template-limits.ts';

/** Tasks that `expand` lists; counts are whole (docs/contract/commands.md#json-lines). */
export const MAX_LISTED_TASKS = 10_000;

/** Checking and expanding here does not store one row per task, so the number of tasks needs no limit. */
export const LISTING_LIMITS: TemplateLimits = { ...TEMPLATE_LIMITS, maxTasksPerStep: Number.MAX_VALUE };
