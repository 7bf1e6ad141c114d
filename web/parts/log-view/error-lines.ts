import type { MatchList } from './log-search.ts';

/** Lines of interest in a failed task's log: those that look like errors, and the first line of stderr. */
export class ErrorLines {
  readonly #found: MatchList;
  /** First line of stderr, unless it is among the others. */
  readonly #extra: number | null;

  constructor(found: MatchList, firstStderr: number | null) {
    this.#found = found;
    const isFound = firstStderr !== null && found.lineOf(found.firstFrom(firstStderr)) === firstStderr;
    this.#extra = isFound ? null : firstStderr;
  }

  get count(): number {
    return this.#found.count + (this.#extra === null ? 0 : 1);
  }

  /** Returns the line after or before a line, cyclically; -1 if there is none. */
  next(line: number, by: 1 | -1): number {
    const at = this.#found.firstFrom(by === 1 ? line + 1 : line);
    const step = by === 1 ? at : at - 1;
    const lines = [this.#found.lineOf(step), this.#extra ?? -1].filter(
      (one) => one !== -1 && (by === 1 ? one > line : one < line),
    );
    if (lines.length > 0) return by === 1 ? Math.min(...lines) : Math.max(...lines);
    return this.#end(by);
  }

  /** Returns the number of these lines before a line. */
  before(line: number): number {
    return this.#found.firstFrom(line) + (this.#extra !== null && this.#extra < line ? 1 : 0);
  }

  #end(by: 1 | -1): number {
    const ends = [this.#found.lineOf(by === 1 ? 0 : this.#found.count - 1), this.#extra ?? -1];
    const lines = ends.filter((one) => one !== -1);
    if (lines.length === 0) return -1;
    return by === 1 ? Math.min(...lines) : Math.max(...lines);
  }
}
