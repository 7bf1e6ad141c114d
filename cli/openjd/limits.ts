import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { TEMPLATE_LIMITS } from '../../src/openjd/template/template-limits.ts';
import { LOCAL_EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';

/** Tasks that `expand` lists; counts are whole (docs/contract/commands.md#json-lines). */
export const MAX_LISTED_TASKS = 10_000;

/** Checking and expanding here does not store one row per task, so the number of tasks needs no limit. */
export const LISTING: LanguageOptions = {
  limits: { ...TEMPLATE_LIMITS, maxTasksPerStep: Number.MAX_VALUE },
  expressions: LOCAL_EXPRESSIONS,
};
