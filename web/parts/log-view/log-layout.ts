import { blockOf, IS_STDERR, type LogBlock, type LogStream } from './log-text.ts';

/** Vertical layout of a log. All rows have the same height; a wrapped line takes several rows. */

export interface LayoutOptions {
  /** Only lines of this stream; null for all. */
  readonly stream: LogStream | null;
  /** Characters per row; null if lines are not wrapped. */
  readonly columns: number | null;
  /** Characters of a line that are shown before it is expanded. */
  readonly widthMax: number;
  /** Row counts of the lines that are expanded. */
  readonly special: ReadonlyMap<number, number>;
}

interface Extent {
  readonly key: string;
  readonly lineCount: number;
  readonly lines: number;
  readonly rows: number;
}

/** Extents of closed blocks, which no longer change. */
const known = new WeakMap<LogBlock, Extent>();

export class LogLayout {
  /** Number of visible lines. */
  readonly lines: number;
  /** Number of rows of these lines. */
  readonly rows: number;
  readonly #blocks: readonly LogBlock[];
  readonly #options: LayoutOptions;
  /** Number of rows before each block. */
  readonly #before: Float64Array;

  constructor(blocks: readonly LogBlock[], options: LayoutOptions) {
    this.#blocks = blocks;
    this.#options = options;
    this.#before = new Float64Array(blocks.length);
    const specialBlocks = new Set([...options.special.keys()].map((line) => blockOf(blocks, line)));
    const key = `${options.stream} ${options.columns} ${options.widthMax}`;
    let lines = 0;
    let rows = 0;
    blocks.forEach((block, index) => {
      this.#before[index] = rows;
      const extent = this.#extentOf(block, key, specialBlocks.has(block));
      lines += extent.lines;
      rows += extent.rows;
    });
    this.lines = lines;
    this.rows = rows;
  }

  /** Returns the first row of a line, or of the next visible line. */
  rowOf(line: number): number {
    const block = blockOf(this.#blocks, line);
    if (block === null) return line < (this.#blocks[0]?.firstLine ?? 0) ? 0 : this.rows;
    let row = this.#before[this.#blocks.indexOf(block)] ?? 0;
    for (let at = 0; at < line - block.firstLine; at++) row += this.#rowsOf(block, at);
    return row;
  }

  /** Returns the line of a row, and the first row of the line; null for an empty layout. */
  lineAt(row: number): { line: number; top: number } | null {
    if (this.rows === 0) return null;
    const wanted = Math.max(0, Math.min(this.rows - 1, row));
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#before[middle] ?? 0) <= wanted) low = middle;
      else high = middle - 1;
    }
    // Of several blocks with the same first row, all but the last are empty.
    const block = this.#blocks[low];
    let top = this.#before[low] ?? 0;
    if (block === undefined) return null;
    for (let at = 0; at < block.lineCount; at++) {
      const rows = this.#rowsOf(block, at);
      if (rows > 0 && wanted < top + rows) return { line: block.firstLine + at, top };
      top += rows;
    }
    return null;
  }

  /** Returns the visible lines from a line on that fill `rows` rows. */
  from(line: number, rows: number): readonly number[] {
    const found: number[] = [];
    const first = blockOf(this.#blocks, line);
    if (first === null) return found;
    let left = rows;
    for (let index = this.#blocks.indexOf(first); index < this.#blocks.length && left > 0; index++) {
      const block = this.#blocks[index];
      if (block === undefined) break;
      for (let at = Math.max(0, line - block.firstLine); at < block.lineCount && left > 0; at++) {
        const taken = this.#rowsOf(block, at);
        if (taken > 0) found.push(block.firstLine + at);
        left -= taken;
      }
    }
    return found;
  }

  #extentOf(block: LogBlock, key: string, hasSpecial: boolean): Extent {
    const kept = known.get(block);
    if (kept !== undefined && kept.key === key && !hasSpecial) return kept;
    let lines = 0;
    let rows = 0;
    for (let at = 0; at < block.lineCount; at++) {
      const taken = this.#rowsOf(block, at);
      rows += taken;
      if (taken > 0) lines++;
    }
    const extent = { key, lineCount: block.lineCount, lines, rows };
    if (!hasSpecial) known.set(block, extent);
    return extent;
  }

  #rowsOf(block: LogBlock, at: number): number {
    const { stream, columns, widthMax, special } = this.#options;
    if (block.beginsAttempt !== undefined) return 1;
    if (stream !== null && ((block.flags[at] ?? 0) & IS_STDERR) !== (stream === 'stderr' ? IS_STDERR : 0))
      return 0;
    if (special.size > 0) {
      const rows = special.get(block.firstLine + at);
      if (rows !== undefined) return rows;
    }
    if (columns === null) return 1;
    return Math.max(1, Math.ceil(Math.min(block.widths[at] ?? 0, widthMax) / columns));
  }
}
