import { LOCAL_EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';
import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { LISTING_LIMITS } from './listing-limits.ts';

/** Options for any template. They load the engine of regular expressions. */
export const LISTING: LanguageOptions = { limits: LISTING_LIMITS, expressions: LOCAL_EXPRESSIONS };
