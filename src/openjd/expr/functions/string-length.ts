import { lengthOf } from '../text/code-points.ts';
import { pathValue, textOf } from '../values/arguments.ts';
import type { Call } from './call.ts';
import { signature, type Signature } from './signature.ts';

/** Steps per counted character. */
const STEPS = 1;

/**
 * Returns the number of characters. The specification does not charge this as text processing (section 1.3.10), so it
 * is charged as steps.
 */
export function countedLength(call: Call, text: string): number {
  call.chargeSteps(text.length * STEPS);
  return lengthOf(text);
}

/** Lengths of texts (specification "Expression Language", section 2.2.1). */
export const LENGTHS: readonly Signature[] = [
  signature('len(s: string) -> int', 'The number of characters.', (call, s) =>
    countedLength(call, textOf(s)),
  ),
  signature('len(p: path) -> int', "The number of characters of the path's text.", (call, p) =>
    countedLength(call, pathValue(p).text),
  ),
];
