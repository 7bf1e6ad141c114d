import { isSpaceUnit } from '../text/character-classes.ts';
import { widthAt, widthBefore } from '../text/code-points.ts';
import { textOf } from '../values/arguments.ts';
import type { Call } from './call.ts';
import { chargeCharacters } from './charges.ts';
import { signature, type Signature } from './signature.ts';

/** Steps per examined character. */
const TRIM_STEPS = 2;

/** Steps per character of the set to remove. */
const STEPS_OF_SET = 8;

type Ends = 'both' | 'left' | 'right';

/** `name(s)` and `name(s, chars)`: removes characters from ends. */
const trimming = (name: string, ends: Ends, where: string): readonly Signature[] => [
  signature(`${name}(s: string) -> string`, `Removes white space ${where}.`, (call, s) => {
    const text = textOf(s);
    chargeCharacters(call, text, TRIM_STEPS);
    let start = 0;
    let end = text.length;
    if (ends !== 'right') while (start < end && isSpaceUnit(text.charCodeAt(start))) start += 1;
    if (ends !== 'left') while (end > start && isSpaceUnit(text.charCodeAt(end - 1))) end -= 1;
    return text.slice(start, end);
  }),
  signature(
    `${name}(s: string, chars: string) -> string`,
    `Removes all characters that occur in \`chars\` ${where}.`,
    (call, s, chars) => withoutCharacters(call, textOf(s), textOf(chars), ends),
  ),
];

function withoutCharacters(call: Call, text: string, chars: string, ends: Ends): string {
  chargeCharacters(call, text.length >= chars.length ? text : chars, TRIM_STEPS);
  call.chargeSteps(chars.length * STEPS_OF_SET);
  const removed = new Set(chars);
  let start = 0;
  let end = text.length;
  while (ends !== 'right' && start < end) {
    const width = widthAt(text, start);
    if (!removed.has(text.slice(start, start + width))) break;
    start += width;
  }
  while (ends !== 'left' && end > start) {
    const width = widthBefore(text, end);
    if (!removed.has(text.slice(end - width, end))) break;
    end -= width;
  }
  return text.slice(start, end);
}

/** Functions that remove characters from the ends of a string (specification "Expression Language", section 2.2.4). */
export const TRIM_FUNCTIONS: readonly Signature[] = [
  ...trimming('strip', 'both', 'from both ends'),
  ...trimming('lstrip', 'left', 'from the start'),
  ...trimming('rstrip', 'right', 'from the end'),
  signature(
    'removeprefix(s: string, prefix: string) -> string',
    'Removes a prefix if the string starts with it.',
    (call, s, prefix) => {
      const text = textOf(s);
      const start = textOf(prefix);
      // The result is a slice that keeps the whole text in memory.
      chargeCharacters(call, text, TRIM_STEPS);
      return text.startsWith(start) ? text.slice(start.length) : text;
    },
  ),
  signature(
    'removesuffix(s: string, suffix: string) -> string',
    'Removes a suffix if the string ends with it.',
    (call, s, suffix) => {
      const text = textOf(s);
      const end = textOf(suffix);
      // The result is a slice that keeps the whole text in memory.
      chargeCharacters(call, text, TRIM_STEPS);
      return end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;
    },
  ),
];
