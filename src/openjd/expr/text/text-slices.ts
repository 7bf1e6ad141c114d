import { hasSurrogates, offsetAt, widthAt } from './code-points.ts';

/** Returns the code point at a position below the length. */
export function characterAt(text: string, position: number): string {
  const offset = offsetAt(text, position);
  return text.slice(offset, offset + widthAt(text, offset));
}

/** Returns `count` code points from `start`, in steps of `step`. */
export function charactersOf(text: string, start: number, step: number, count: number): string {
  if (count === 0) return '';
  if (step === 1) {
    const from = offsetAt(text, start);
    return text.slice(from, from + offsetAt(text.slice(from), count));
  }
  const characters: ArrayLike<string> = hasSurrogates(text) ? Array.from(text) : text;
  const taken: string[] = [];
  for (let index = 0; index < count; index++) taken.push(characters[start + index * step] ?? '');
  return taken.join('');
}
