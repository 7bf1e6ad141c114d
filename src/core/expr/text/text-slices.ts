import { hasSurrogates, lengthOf, offsetAt, widthAt } from './code-points.ts';

/** Code points of a text from `start` by `step`, `count` of them. */
interface Cut {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/**
 * Which elements `[start:stop:step]` takes of a sequence of a length, as Python does: absent bounds are the ends, negative ones count from the end, and
 * what lies outside is cut off. `step` is not 0.
 */
export function cutOf(length: number, start: number | null, stop: number | null, step: number): Cut {
  const lowest = step > 0 ? 0 : -1;
  const highest = step > 0 ? length : length - 1;
  const bound = (index: number | null, absent: number): number => {
    if (index === null) return absent;
    return Math.min(Math.max(index < 0 ? index + length : index, lowest), highest);
  };
  const from = bound(start, step > 0 ? 0 : length - 1);
  const to = bound(stop, step > 0 ? length : -1);
  return { start: from, step, count: Math.max(0, Math.ceil((to - from) / step)) };
}

/** The code point at an index, which may count from the end; null when there is none. */
export function characterAt(text: string, index: number): string | null {
  const length = lengthOf(text);
  const position = index < 0 ? index + length : index;
  if (position < 0 || position >= length) return null;
  const offset = offsetAt(text, position);
  return text.slice(offset, offset + widthAt(text, offset));
}

/** The code points of a slice. */
export function sliceOf(text: string, start: number | null, stop: number | null, step: number): string {
  const cut = cutOf(lengthOf(text), start, stop, step);
  if (cut.count === 0) return '';
  if (step === 1) {
    const from = offsetAt(text, cut.start);
    return text.slice(from, from + offsetAt(text.slice(from), cut.count));
  }
  const units: ArrayLike<string> = hasSurrogates(text) ? Array.from(text) : text;
  const taken: string[] = [];
  for (let index = 0; index < cut.count; index++) taken.push(units[cut.start + index * step] ?? '');
  return taken.join('');
}
