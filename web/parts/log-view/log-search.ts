/** Pattern search in the lines of a log. Slow searches run in a worker (search-worker.ts). */

import { ERROR_LINE_SOURCE } from '../../../src/core/failure/error-line.ts';

export interface SearchQuery {
  readonly text: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  /** Finds only the first match of a line. */
  readonly isOncePerLine: boolean;
}

/** Maximum number of matches that are kept. */
export const FOUND_MAX = 100_000;

/** Returns the pattern, or as a text why it is invalid. */
export function patternOf({
  text,
  isRegex,
  isCaseSensitive,
}: Pick<SearchQuery, 'text' | 'isRegex' | 'isCaseSensitive'>): RegExp | string {
  const source = isRegex ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  try {
    return new RegExp(source, isCaseSensitive ? 'g' : 'gi');
  } catch (error) {
    return error instanceof SyntaxError
      ? error.message.replace(/^Invalid regular expression: /, '')
      : String(error);
  }
}

/** Query for lines that look like errors. "0 errors" does not match. */
export const ERROR_LINE_QUERY: SearchQuery = {
  text: ERROR_LINE_SOURCE,
  isRegex: true,
  isCaseSensitive: true,
  isOncePerLine: true,
};

/** Matches as three numbers each: line, start, end (exclusive). */
export type MatchTable = Uint32Array;

/** Returns at most `max` matches of a pattern in lines that each end with a line feed. */
export function matchesIn(
  text: string,
  firstLine: number,
  pattern: RegExp,
  { max, isOncePerLine }: { max: number; isOncePerLine: boolean },
): MatchTable {
  const found: number[] = [];
  let line = firstLine;
  for (let from = 0; from < text.length && found.length < max * 3; line++) {
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end;
    const content = text.slice(from, to);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(content); match !== null; match = pattern.exec(content)) {
      if (match[0] === '') pattern.lastIndex++;
      else if (found.push(line, match.index, match.index + match[0].length) >= max * 3 || isOncePerLine)
        break;
    }
    from = to + 1;
  }
  return Uint32Array.from(found);
}

/** Matches in the order of lines, appended as they are found. */
export class MatchList {
  #places = new Uint32Array(3 * 64);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= FOUND_MAX;
  }

  add(places: MatchTable): void {
    const needed = this.#count * 3 + places.length;
    if (needed > this.#places.length) {
      const wider = new Uint32Array(Math.max(needed, this.#places.length * 2));
      wider.set(this.#places.subarray(0, this.#count * 3));
      this.#places = wider;
    }
    this.#places.set(places, this.#count * 3);
    this.#count += places.length / 3;
  }

  /** Returns the line of a match by its index; -1 if there is none. */
  lineOf(index: number): number {
    return index < 0 || index >= this.#count ? -1 : (this.#places[index * 3] ?? -1);
  }

  /** Returns the index of the first match in or after a line; `count` if there is none. */
  firstFrom(line: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle * 3] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the matches in a line, with their indexes. */
  inLine(line: number): readonly { readonly number: number; readonly start: number; readonly end: number }[] {
    const found = [];
    for (let number = this.firstFrom(line); this.lineOf(number) === line; number++)
      found.push({
        number,
        start: this.#places[number * 3 + 1] ?? 0,
        end: this.#places[number * 3 + 2] ?? 0,
      });
    return found;
  }
}
