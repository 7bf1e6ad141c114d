import { countOf, floatValue, intValue, textOf } from '../values/arguments.ts';
import { textOfFloat } from '../values/float-text.ts';
import type { Call } from './call.ts';
import { countedLength } from './string-length.ts';
import { signature, type Signature } from './signature.ts';

/** Returns the missing length to a width in code points, at least 0. Reserves and charges the result. */
function lacking(call: Call, text: string, width: number): number {
  const lack = Math.max(0, width - countedLength(call, text));
  call.reserveString(text.length + lack);
  call.chargeText(text.length + lack);
  return lack;
}

const padding = (name: string, doc: string, pad: (text: string, lack: number, width: number) => string) =>
  signature(`${name}(s: string, width: int) -> string`, doc, (call, s, width) => {
    const text = textOf(s);
    const wanted = countOf(width);
    return pad(text, lacking(call, text, wanted), wanted);
  });

/** Centers as Python's `str.center`: if the width is odd, the odd blank is on the left. */
function centred(text: string, lack: number, width: number): string {
  const left = Math.floor(lack / 2) + (lack % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return ' '.repeat(left) + text + ' '.repeat(lack - left);
}

function zeroFilled(call: Call, text: string, width: number): string {
  const zeros = '0'.repeat(lacking(call, text, width));
  const signed = text.startsWith('+') || text.startsWith('-');
  return signed ? text.charAt(0) + zeros + text.slice(1) : zeros + text;
}

/** Functions that fill a string to a width in code points (specification "Expression Language", section 2.2.4). */
export const PAD_FUNCTIONS: readonly Signature[] = [
  padding('ljust', 'Adds blanks at the end up to a width.', (text, lack) => text + ' '.repeat(lack)),
  padding('rjust', 'Adds blanks at the start up to a width.', (text, lack) => ' '.repeat(lack) + text),
  padding('center', 'Adds blanks at both ends up to a width.', centred),
  signature(
    'zfill(s: string, width: int) -> string',
    'Adds zeros at the start, after a sign, up to a width.',
    (call, s, width) => zeroFilled(call, textOf(s), countOf(width)),
  ),
  signature(
    'zfill(n: int, width: int) -> string',
    'The decimal text of an integer with leading zeros up to a width.',
    (call, n, width) => zeroFilled(call, `${intValue(n)}`, countOf(width)),
  ),
  signature(
    'zfill(x: float, width: int) -> string',
    'The text of a float with leading zeros up to a width.',
    (call, x, width) => zeroFilled(call, textOfFloat(floatValue(x)), countOf(width)),
  ),
];
