/**
 * States of a block: open, closed (final); of a line: incomplete (pending, per stream), complete. Invariants: closed
 * blocks never change; lines are in the order of their completion. Exits: `end` completes the pending lines.
 */

import { LINE_CHARACTERS_MAX, LOG_START, type LinePosition } from '../../../src/core/records/log-lines.ts';
import { isSpecial, PLAIN, stripped, styleAfter, styleKey, type Style } from './ansi.ts';

/** Output of a task as lines. Text is stored in blocks with line offsets, without an object per line. */

export type LogStream = 'stdout' | 'stderr';

/** Consecutive lines. The lists have one entry per line. */
export interface LogBlock {
  /** Index of the first line in the log, from 0. */
  readonly firstLine: number;
  readonly lineCount: number;
  /** The lines, each with a line feed. */
  readonly text: string;
  readonly starts: ArrayLike<number>;
  readonly flags: ArrayLike<number>;
  /** Index of the style at the start of each line. */
  readonly styles: ArrayLike<number>;
  /** Time at which the end of each line was written, in milliseconds since the epoch. */
  readonly times: ArrayLike<number>;
  /** Number of visible characters of each line. */
  readonly widths: ArrayLike<number>;
  /** Reports whether a line has escape sequences or overwritten states. */
  readonly isSpecial: boolean;
  /** Set for the line between attempts: the attempt whose log follows. */
  readonly beginsAttempt?: number;
}

/** Lines that are shown: of one attempt, or of several. */
export interface ReadableLog {
  /** Index of the first line that is held. */
  readonly firstLine: number;
  /** Index after the last complete line. */
  readonly lineCount: number;
  /** Number of characters, including incomplete lines. */
  readonly characters: number;
  /** First line of stderr; null if there is none. */
  readonly firstStderr: number | null;
  /** Returns all lines, incomplete ones last. A closed block stays the same object. */
  blocks(): readonly LogBlock[];
  /** Returns the style at the start of a line of a block. */
  styleOf(block: LogBlock, at: number): Style;
}

/** Bits of `flags`: written to stderr; has escape sequences or overwritten states. */
export const IS_STDERR = 1;
const IS_SPECIAL = 2;

export interface LogLine {
  /** Index from 0. */
  readonly index: number;
  /** The line as it was written, without the line feed. */
  readonly raw: string;
  readonly stream: LogStream;
  readonly style: Style;
  readonly time: number;
  /** Set for the line between attempts: the attempt whose log follows. */
  readonly beginsAttempt?: number;
}

/** Size at which a block is closed. */
const BLOCK_CHARACTERS = 65_536;
const STYLES_MAX = 65_535;

interface OpenBlock extends LogBlock {
  lineCount: number;
  text: string;
  readonly starts: number[];
  readonly flags: number[];
  readonly styles: number[];
  readonly times: number[];
  readonly widths: number[];
  isSpecial: boolean;
}

interface Pending {
  text: string;
  /** Characters of the line that are not held. */
  hidden: number;
  time: number;
  style: Style;
}

const emptyBlock = (firstLine: number): OpenBlock => ({
  firstLine,
  lineCount: 0,
  text: '',
  starts: [],
  flags: [],
  styles: [],
  times: [],
  widths: [],
  isSpecial: false,
});

const closed = (block: OpenBlock): LogBlock => ({
  ...block,
  starts: Uint32Array.from(block.starts),
  flags: Uint8Array.from(block.flags),
  styles: Uint16Array.from(block.styles),
  times: Float64Array.from(block.times),
  widths: Uint32Array.from(block.widths),
});

/**
 * Returns the visible part of a line: the text after the last carriage return, as on a terminal. `states` counts the
 * overwritten texts.
 */
export function shownPart(raw: string): { start: number; end: number; states: number } {
  let end = raw.length;
  while (end > 0 && raw[end - 1] === '\r') end--;
  const start = raw.lastIndexOf('\r', end - 1) + 1;
  if (start === 0 || end === 0) return { start: 0, end, states: 0 };
  const states = raw
    .slice(0, start)
    .split('\r')
    .filter((state) => state !== '').length;
  return { start, end, states };
}

/** Returns the overwritten states of a line, and the last one. */
export const statesOf = (raw: string): readonly string[] => raw.split('\r').filter((state) => state !== '');

/** Replaces the beginning of a line that is not held. */
const CUT = '…';

const pendingAt = (open: number): Pending => ({
  text: open > 0 ? CUT : '',
  hidden: Math.max(0, open - CUT.length),
  time: 0,
  style: PLAIN,
});

/** Lines of one attempt, in the order in which they were completed. Chunks may be split anywhere. */
export class LogText implements ReadableLog {
  readonly firstLine: number;
  readonly #closed: LogBlock[] = [];
  #open: OpenBlock;
  #characters = 0;
  readonly #pending: Readonly<Record<LogStream, Pending>>;
  #firstStderr: number | null = null;
  readonly #styles: Style[] = [PLAIN];
  readonly #styleIds = new Map<string, number>([[styleKey(PLAIN), 0]]);

  /** `start` is where the chunks begin: the lines before it are not held. */
  constructor(start: LinePosition = LOG_START) {
    this.firstLine = start.lines;
    this.#open = emptyBlock(start.lines);
    this.#pending = { stdout: pendingAt(start.open.stdout), stderr: pendingAt(start.open.stderr) };
  }

  get lineCount(): number {
    return this.#open.firstLine + this.#open.lineCount;
  }

  get characters(): number {
    return this.#characters;
  }

  get firstStderr(): number | null {
    return this.#firstStderr;
  }

  blocks(): readonly LogBlock[] {
    const blocks: LogBlock[] = [...this.#closed];
    if (this.#open.lineCount > 0) blocks.push({ ...this.#open });
    const tail = this.#tail();
    return tail.lineCount > 0 ? [...blocks, tail] : blocks;
  }

  append(stream: LogStream, data: string, time: number): void {
    this.#characters += data.length;
    const pending = this.#pending[stream];
    const end = data.lastIndexOf('\n') + 1;
    if (end > 0) {
      this.#add(stream, pending.text + data.slice(0, end), time);
      pending.text = '';
      pending.hidden = 0;
    }
    pending.time = time;
    pending.text += data.slice(end);
    while (pending.text.length + pending.hidden > LINE_CHARACTERS_MAX) {
      const kept = LINE_CHARACTERS_MAX - pending.hidden;
      this.#add(stream, `${pending.text.slice(0, kept)}\n`, time);
      pending.text = pending.text.slice(kept);
      pending.hidden = 0;
    }
  }

  /** Completes the lines that have no line feed. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const pending = this.#pending[stream];
      if (pending.text !== '') this.#add(stream, `${pending.text}\n`, pending.time);
      pending.text = '';
    }
  }

  styleOf(block: LogBlock, at: number): Style {
    return this.#styles[block.styles[at] ?? 0] ?? PLAIN;
  }

  #tail(): LogBlock {
    const tail = emptyBlock(this.lineCount);
    for (const stream of ['stdout', 'stderr'] as const) {
      const { text, time, style } = this.#pending[stream];
      if (text !== '') this.#addLine(tail, stream, `${text}\n`, 0, text.length, style, time, isSpecial(text));
    }
    return tail;
  }

  /** Adds complete lines. */
  #add(stream: LogStream, lines: string, time: number): void {
    const pending = this.#pending[stream];
    if (stream === 'stderr') this.#firstStderr ??= this.lineCount;
    const hasSpecial = isSpecial(lines);
    const offset = this.#open.text.length;
    for (let from = 0; from < lines.length;) {
      const to = lines.indexOf('\n', from);
      const special = hasSpecial && isSpecial(lines.slice(from, to));
      this.#addLine(this.#open, stream, lines, from, to, pending.style, time, special, offset);
      if (special) pending.style = styleAfter(lines.slice(from, to), pending.style);
      from = to + 1;
    }
    this.#open.text += lines;
    if (this.#open.text.length < BLOCK_CHARACTERS) return;
    this.#closed.push(closed(this.#open));
    this.#open = emptyBlock(this.lineCount);
  }

  #addLine(
    block: OpenBlock,
    stream: LogStream,
    lines: string,
    from: number,
    to: number,
    style: Style,
    time: number,
    special: boolean,
    offset: number | null = null,
  ): void {
    block.starts.push((offset ?? block.text.length) + from);
    block.flags.push((stream === 'stderr' ? IS_STDERR : 0) | (special ? IS_SPECIAL : 0));
    block.styles.push(this.#styleId(style));
    block.times.push(time);
    block.widths.push(special ? shownWidth(lines.slice(from, to)) : to - from);
    block.lineCount++;
    if (special) block.isSpecial = true;
    if (offset === null) block.text += lines;
  }

  #styleId(style: Style): number {
    if (style === PLAIN) return 0;
    const key = styleKey(style);
    const known = this.#styleIds.get(key);
    if (known !== undefined) return known;
    // A log with this many styles is an image in colors: later lines start with the default style.
    if (this.#styles.length >= STYLES_MAX) return 0;
    this.#styleIds.set(key, this.#styles.length);
    return this.#styles.push(style) - 1;
  }
}

function shownWidth(raw: string): number {
  const { start, end } = shownPart(raw);
  return stripped(raw.slice(start, end)).length;
}

/** Returns the block of a line; null if there is no such line. */
export function blockOf(blocks: readonly LogBlock[], line: number): LogBlock | null {
  let low = 0;
  let high = blocks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (block === undefined || line < block.firstLine) high = middle - 1;
    else if (line >= block.firstLine + block.lineCount) low = middle + 1;
    else return block;
  }
  return null;
}

/** Returns a line by its index; null if there is none. */
export function lineAt(log: ReadableLog, blocks: readonly LogBlock[], index: number): LogLine | null {
  const block = blockOf(blocks, index);
  if (block === null) return null;
  const at = index - block.firstLine;
  return {
    index,
    raw: rawOf(block, at),
    stream: ((block.flags[at] ?? 0) & IS_STDERR) === 0 ? 'stdout' : 'stderr',
    style: log.styleOf(block, at),
    time: block.times[at] ?? 0,
    ...(block.beginsAttempt !== undefined && { beginsAttempt: block.beginsAttempt }),
  };
}

const rawOf = (block: LogBlock, at: number): string =>
  block.text.slice(block.starts[at], (block.starts[at + 1] ?? block.text.length) - 1);

/** Returns the visible text of a block, each line with a line feed, for a search. */
export function shownText(block: LogBlock): string {
  if (!block.isSpecial) return block.text;
  const lines: string[] = [];
  for (let at = 0; at < block.lineCount; at++) lines.push(shownLine(rawOf(block, at)));
  return `${lines.join('\n')}\n`;
}

/** Returns a line as it is shown, without styles. */
export function shownLine(raw: string): string {
  const { start, end } = shownPart(raw);
  return stripped(raw.slice(start, end));
}
