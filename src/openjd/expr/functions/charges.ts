import type { Run } from '../../primitives/integer-set.ts';
import type { Call } from './call.ts';

/** Counts the work on a text that is gone through character by character, at so many steps for each. */
export function chargeCharacters(call: Call, text: string, steps: number): void {
  call.chargeText(text.length);
  call.chargeSteps(text.length * steps);
}

/** What looking for a text in another takes for a character of either. */
const SEARCH_STEPS = 1.5;

/** Charges for a search: for the longer of the two texts. */
export const chargeSearch = (call: Call, text: string, sought: string): void => {
  chargeCharacters(call, text.length >= sought.length ? text : sought, SEARCH_STEPS);
};

/** What going through a run of a range takes, or writing it. */
const RUN_STEPS = 4;

/** Charges for the runs of a range that are gone through or written. */
export const chargeRuns = (call: Call, runs: readonly Run[]): void => {
  call.chargeSteps(runs.length * RUN_STEPS);
};
