import { timestampOf } from '../timestamp.ts';

/** Formats of numbers, times and lists in sentences. Times are milliseconds since the epoch. */

/** Made for the first number: V8 takes 15 ms for it, and most commands write none. */
let format: Intl.NumberFormat | null = null;

/** `12,000`, `1.5`. */
export function numberText(value: number): string {
  format ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
  return format.format(value);
}

/** `1 task`, `12,000 tasks`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats milliseconds as `42 s`, `12 min`, `3 h 20 min` or `2 d 4 h`, and at least as one second. */
export function durationText(milliseconds: number): string {
  const rounded = Math.max(SECOND, Math.round(milliseconds / SECOND) * SECOND);
  if (rounded < MINUTE) return `${rounded / SECOND} s`;
  if (rounded < HOUR) return parts(rounded, MINUTE, 'min', SECOND, 's');
  if (rounded < DAY) return parts(rounded, HOUR, 'h', MINUTE, 'min');
  return parts(rounded, DAY, 'd', HOUR, 'h');
}

function parts(time: number, unit: number, name: string, lesserUnit: number, lesserName: string): string {
  const lesser = Math.floor((time % unit) / lesserUnit);
  const whole = `${numberText(Math.floor(time / unit))} ${name}`;
  return lesser === 0 ? whole : `${whole} ${lesser} ${lesserName}`;
}

/** Formats a time as `10:00:42 UTC`, with its date if it is a day or more away from `now`. */
export function clockText(at: number, now: number): string {
  const [date = '', time = ''] = timestampOf(at).split('T');
  const clock = `${time.slice(0, 8)} UTC`;
  return Math.abs(at - now) < DAY ? clock : `${date} ${clock}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listText(items: readonly string[], word = 'and'): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** Returns the first items, and the number of the others: `a, b and 7 more`. */
export const joinAtMost = (items: readonly string[], most: number, word = 'and'): string =>
  items.length <= most
    ? listText(items, word)
    : listText([...items.slice(0, most), `${numberText(items.length - most)} more`], word);

const BRIEF_LENGTH_MAX = 200;

/**
 * Returns text of a third party on one line, cut if it is long. Omits the source of a failed expression, which is an
 * indented block.
 */
export function briefText(text: string): string {
  const [said = ''] = text.trimStart().split(/\n {2}/, 1);
  const line = said.replaceAll(/\s+/g, ' ').trim();
  return line.length <= BRIEF_LENGTH_MAX ? line : `${line.slice(0, BRIEF_LENGTH_MAX - 1)}…`;
}

/** Returns a clause as a sentence, with a capital letter and a full stop. */
export function sentenceOf(clause: string): string {
  const text = clause.charAt(0).toUpperCase() + clause.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
