import type { FunctionGroup } from './signature.ts';
import { CASE_FUNCTIONS } from './string-case.ts';
import { LENGTHS } from './string-length.ts';
import { PAD_FUNCTIONS } from './string-pad.ts';
import { SEARCH_FUNCTIONS } from './string-search.ts';
import { SPLIT_FUNCTIONS } from './string-split.ts';
import { TRIM_FUNCTIONS } from './string-trim.ts';
import { OPERATORS_ON_STRINGS } from './string-operators.ts';

/** Specification "Expression Language", section 2.1.2, and the string operators of sections 2.1.7 and 2.1.8. */
export const STRING_OPERATORS: FunctionGroup = {
  title: 'String operators',
  hostOnly: false,
  signatures: OPERATORS_ON_STRINGS,
};

/** Specification "Expression Language", section 2.2.4. */
export const STRINGS: FunctionGroup = {
  title: 'String functions',
  hostOnly: false,
  signatures: [
    ...LENGTHS,
    ...CASE_FUNCTIONS,
    ...TRIM_FUNCTIONS,
    ...SEARCH_FUNCTIONS,
    ...SPLIT_FUNCTIONS,
    ...PAD_FUNCTIONS,
  ],
};
