import { ExprFailure } from '../expr-failure.ts';
import { splitName } from './path-components.ts';

/** Widest padding of a placeholder, in characters (specification "Expression Language", section 2.3.2). */
const MAX_WIDTH = 32;
/** Digits of a number that is appended to a name without a placeholder. */
const APPENDED_WIDTH = 4;

/** Forms of a placeholder: printf notation, a run of hashes, a run of digits. */
const PLACEHOLDER = /%(?<zero>0?)(?<width>\d*)d|#+|\d+/g;

/**
 * Replaces the frame number of a file name (section 2.3.2, `with_number`): the last placeholder of the stem. Appends
 * `_NNNN` to a stem without one.
 *
 * A number wider than its placeholder is written in full, and a minus sign counts toward the width. Fails for a
 * placeholder that pads to more than 32 characters; a run of digits may have any width.
 */
export function nameWithNumber(name: string, number: number | bigint): string {
  const { stem, suffix } = splitName(name);
  let last: RegExpExecArray | null = null;
  for (const match of stem.matchAll(PLACEHOLDER)) last = match;
  if (last === null) return `${stem}_${zeroPadded(number, APPENDED_WIDTH)}${suffix}`;
  const [placeholder] = last;
  const after = stem.slice(last.index + placeholder.length);
  return stem.slice(0, last.index) + numberIn(placeholder, last.groups, number) + after + suffix;
}

function numberIn(placeholder: string, printf: RegExpExecArray['groups'], number: number | bigint): string {
  if (placeholder.startsWith('%')) {
    const width = widthOf(printf?.['width'] ?? '');
    return printf?.['zero'] === '0' ? zeroPadded(number, width) : String(number).padStart(width);
  }
  const width = placeholder.startsWith('#') ? widthOf(String(placeholder.length)) : placeholder.length;
  return zeroPadded(number, width);
}

function widthOf(digits: string): number {
  const width = Number(digits);
  if (width <= MAX_WIDTH) return width;
  const said = digits.replace(/^0+/, '');
  throw new ExprFailure(`with_number: padding width ${said} exceeds maximum of ${MAX_WIDTH}`);
}

function zeroPadded(number: number | bigint, width: number): string {
  const text = String(number);
  return number < 0 ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0');
}
