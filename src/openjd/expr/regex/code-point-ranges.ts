/** Ranges of code points, `[first, last]` each, in increasing order and not adjacent. */
export type Ranges = readonly (readonly [first: number, last: number])[];

const MAX_CODE_POINT = 0x10ffff;

/** White space in Python (`\s`). */
export const SPACE_RANGES: Ranges = [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];

const WORD = /[\p{L}\p{N}_]/u;
const WORDS = /[\p{L}\p{N}_]+/gu;
/** Number of code points that are tested in one text. */
const BLOCK = 0x8000;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Reports whether `\w` matches a code point: letters and numbers of all scripts, and `_`, as in Python. */
export function isWord(code: number): boolean {
  if (code > 0x7f) return WORD.test(String.fromCodePoint(code));
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}

let words: Ranges | null = null;

/**
 * Returns all code points that `\w` matches. Computed on first use: a regular expression rarely has a class with `\W`.
 */
export function wordRanges(): Ranges {
  if (words !== null) return words;
  const ranges: [number, number][] = [];
  for (let block = 0; block <= MAX_CODE_POINT; block += BLOCK) {
    for (const { 0: run } of blockText(block).matchAll(WORDS)) {
      for (const character of run) {
        const code = character.codePointAt(0) ?? 0;
        const open = ranges.at(-1);
        if (open !== undefined && open[1] === code - 1) open[1] = code;
        else ranges.push([code, code]);
      }
    }
  }
  words = ranges;
  return words;
}

/** Returns the code points of a block without surrogates, which would combine to other code points. */
function blockText(block: number): string {
  const codes: number[] = [];
  for (let code = block; code < block + BLOCK && code <= MAX_CODE_POINT; code++) {
    if (code < FIRST_SURROGATE || code > LAST_SURROGATE) codes.push(code);
  }
  return String.fromCodePoint(...codes);
}

/** Returns all code points outside of the ranges. */
export function complementOf(ranges: Ranges): Ranges {
  const result: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) result.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= MAX_CODE_POINT) result.push([next, MAX_CODE_POINT]);
  return result;
}
