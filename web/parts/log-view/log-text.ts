import { isSpecial, PLAIN, stripped, styleAfter, styleKey, type Style } from './ansi.ts';

/** What a task has written, as lines. Text is kept in blocks with the places of lines in them: no object for a line. */

export type LogStream = 'stdout' | 'stderr';

/** Some lines that follow each other. Lists have an entry a line. */
export interface LogBlock {
  /** Index of its first line in the log, from 0. */
  readonly firstLine: number;
  readonly lineCount: number;
  /** The lines, each with a line feed. */
  readonly text: string;
  readonly starts: ArrayLike<number>;
  readonly flags: ArrayLike<number>;
  /** Which of the log's styles a line begins with. */
  readonly styles: ArrayLike<number>;
  /** When the end of a line was written, in milliseconds since the epoch. */
  readonly times: ArrayLike<number>;
  /** How many characters of a line are shown. */
  readonly widths: ArrayLike<number>;
  /** Whether a line has sequences or earlier states. */
  readonly isSpecial: boolean;
}

/** Of `flags`: written to stderr; has sequences or earlier states. */
export const IS_STDERR = 1;
const IS_SPECIAL = 2;

export interface LogLine {
  /** From 0. */
  readonly index: number;
  /** As it was written, without the line feed. */
  readonly raw: string;
  readonly stream: LogStream;
  readonly style: Style;
  readonly time: number;
}

/** A block is closed when it has so many characters. */
const BLOCK_CHARACTERS = 65_536;
/** What is longer is broken into lines of so many characters. */
export const LINE_CHARACTERS_MAX = 262_144;
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

/** What of a line is shown: behind the last carriage return, as on a terminal; `states` counts what it has overwritten. */
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

/** The states of a line that were overwritten, and the last. */
export const statesOf = (raw: string): readonly string[] => raw.split('\r').filter((state) => state !== '');

/** The lines of one attempt, in the order in which they ended. Chunks may be cut anywhere. */
export class LogText {
  readonly #closed: LogBlock[] = [];
  #open = emptyBlock(0);
  #characters = 0;
  readonly #pending: Readonly<Record<LogStream, Pending>> = {
    stdout: { text: '', time: 0, style: PLAIN },
    stderr: { text: '', time: 0, style: PLAIN },
  };
  #firstStderr: number | null = null;
  readonly #styles: Style[] = [PLAIN];
  readonly #styleIds = new Map<string, number>([[styleKey(PLAIN), 0]]);

  /** Lines that have ended. */
  get lineCount(): number {
    return this.#open.firstLine + this.#open.lineCount;
  }

  /** Characters of all that was written. */
  get characters(): number {
    return this.#characters;
  }

  /** The first line that was written to stderr; null when there is none. */
  get firstStderr(): number | null {
    return this.#firstStderr;
  }

  /** All lines, also those that have not ended, which are last. A block that is closed stays the same object. */
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
    }
    pending.time = time;
    pending.text += data.slice(end);
    while (pending.text.length > LINE_CHARACTERS_MAX) {
      this.#add(stream, `${pending.text.slice(0, LINE_CHARACTERS_MAX)}\n`, time);
      pending.text = pending.text.slice(LINE_CHARACTERS_MAX);
    }
  }

  /** Nothing more is to come: lines that have not ended are lines all the same. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const pending = this.#pending[stream];
      if (pending.text !== '') this.#add(stream, `${pending.text}\n`, pending.time);
      pending.text = '';
    }
  }

  style(id: number): Style {
    return this.#styles[id] ?? PLAIN;
  }

  #tail(): LogBlock {
    const tail = emptyBlock(this.lineCount);
    for (const stream of ['stdout', 'stderr'] as const) {
      const { text, time, style } = this.#pending[stream];
      if (text !== '') this.#addLine(tail, stream, `${text}\n`, 0, text.length, style, time, isSpecial(text));
    }
    return tail;
  }

  /** Whole lines. */
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
    // So many styles are a picture in colours: its lines then begin without one.
    if (this.#styles.length >= STYLES_MAX) return 0;
    this.#styleIds.set(key, this.#styles.length);
    return this.#styles.push(style) - 1;
  }
}

function shownWidth(raw: string): number {
  const { start, end } = shownPart(raw);
  return stripped(raw.slice(start, end)).length;
}

/** The block that a line is in; null when the log has no such line. */
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

/** A line by its index; null when there is none. */
export function lineAt(log: LogText, blocks: readonly LogBlock[], index: number): LogLine | null {
  const block = blockOf(blocks, index);
  if (block === null) return null;
  const at = index - block.firstLine;
  return {
    index,
    raw: rawOf(block, at),
    stream: ((block.flags[at] ?? 0) & IS_STDERR) === 0 ? 'stdout' : 'stderr',
    style: log.style(block.styles[at] ?? 0),
    time: block.times[at] ?? 0,
  };
}

const rawOf = (block: LogBlock, at: number): string =>
  block.text.slice(block.starts[at], (block.starts[at + 1] ?? block.text.length) - 1);

/** The lines of a block as they are shown, each with a line feed: for a search. */
export function shownText(block: LogBlock): string {
  if (!block.isSpecial) return block.text;
  const lines: string[] = [];
  for (let at = 0; at < block.lineCount; at++) lines.push(shownLine(rawOf(block, at)));
  return `${lines.join('\n')}\n`;
}

/** A line as it is shown, without styles. */
export function shownLine(raw: string): string {
  const { start, end } = shownPart(raw);
  return stripped(raw.slice(start, end));
}
