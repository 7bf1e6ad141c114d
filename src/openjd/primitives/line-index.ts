import { partitionPoint } from './partition-point.ts';
import type { Position } from './document.ts';

/** Finds line and column of offsets in a text. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** Returns line and column, from 1, of an offset from 0. */
  at(offset: number): Position {
    const line = partitionPoint(this.#starts.length, (at) => (this.#starts[at] ?? 0) <= offset);
    return { line, column: offset - (this.#starts[line - 1] ?? 0) + 1 };
  }

  /** Returns a line, from 1, without its line break; undefined after the last one. */
  line(line: number): string | undefined {
    const start = this.#starts[line - 1];
    if (start === undefined) return undefined;
    const next = this.#starts[line];
    return this.#text.slice(start, next === undefined ? undefined : next - 1).replace(/\r$/, '');
  }
}
