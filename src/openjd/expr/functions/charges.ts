import type { Run } from '../../primitives/integer-set.ts';
import type { Call } from './call.ts';

/** Charges the character-by-character processing of a text. */
export function chargeCharacters(call: Call, text: string, steps: number): void {
  call.chargeText(text.length);
  call.chargeSteps(text.length * steps);
}

/** Steps per character of a text search. */
const SEARCH_STEPS = 1.5;

/** Charges a search by the longer of the two texts. */
export const chargeSearch = (call: Call, text: string, sought: string): void => {
  chargeCharacters(call, text.length >= sought.length ? text : sought, SEARCH_STEPS);
};

/** Steps to read or write one run of a range. */
const RUN_STEPS = 4;

/** Charges the runs of a range that are read or written. */
export const chargeRuns = (call: Call, runs: readonly Run[]): void => {
  call.chargeSteps(runs.length * RUN_STEPS);
};
