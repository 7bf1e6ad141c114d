import { lengthOf } from '../text/code-points.ts';
import { pathValue, textOf } from '../values/arguments.ts';
import { signature, type Signature } from './signature.ts';

/** Lengths of texts (specification "Expression Language", section 2.2.1). */
export const LENGTHS: readonly Signature[] = [
  signature('len(s: string) -> int', 'The number of characters.', (_call, s) => lengthOf(textOf(s))),
  signature('len(p: path) -> int', "The number of characters of the path's text.", (_call, p) =>
    lengthOf(pathValue(p).text),
  ),
];
