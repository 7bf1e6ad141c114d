import { isWord } from '../../openjd/expr/regex/code-point-ranges.ts';

/** What the engine reads where the text has ended: a code point of -1 without width, in the form of `step`. */
const END = -8;
/** Bits of `step` below the code point: the width. */
const WIDTH_BITS = 3;

/** What holds between two code points, in the engine's bits. */
const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

const LINE_FEED = 10;
/** Steps that are counted together. */
const BATCH = 64;
/** Units of a literal beginning that are looked for; a longer search is no quicker and has a bad worst case. */
const MAX_PREFIX = 6;

/** What this input uses of a compiled program. */
interface Prefixed {
  readonly prefix: string;
}

/**
 * A text as the engine's machine reads it, which counts the steps and knows Unicode's word boundaries. The text begins at position `offset`: the machine has a
 * rule of its own for position 0, which only knows the words of ASCII.
 */
export class CountingInput {
  readonly #text: string;
  readonly #offset: 0 | 1;
  readonly #wordBoundaries: boolean;
  readonly #work: (steps: number) => void;
  #steps = 0;

  constructor(text: string, offset: 0 | 1, wordBoundaries: boolean, work: (steps: number) => void) {
    this.#text = text;
    this.#offset = offset;
    this.#wordBoundaries = wordBoundaries;
    this.#work = work;
  }

  /** Tells of the steps that were not told of yet. */
  flush(): void {
    const steps = this.#steps;
    this.#steps = 0;
    this.#work(steps);
  }

  endPos(): number {
    return this.#text.length + this.#offset;
  }

  canCheckPrefix(): boolean {
    return true;
  }

  /** The code point at a position, and its width. */
  step(position: number): number {
    this.#steps += 1;
    if (this.#steps >= BATCH) this.flush();
    const at = position - this.#offset;
    const code = at < this.#text.length ? this.#text.codePointAt(at) : undefined;
    if (code === undefined) return END;
    return (code << WIDTH_BITS) | (code > 0xffff ? 2 : 1);
  }

  /** How far it is to a place where the program's literal beginning may be, or -1. */
  index(program: Prefixed, position: number): number {
    const at = position - this.#offset;
    const found = this.#text.indexOf(program.prefix.slice(0, MAX_PREFIX), at);
    this.#steps += Math.floor(((found < 0 ? this.#text.length : found) - at) / BATCH);
    return found < 0 ? -1 : found - at;
  }

  /** What holds at a position. */
  context(position: number): number {
    const at = position - this.#offset;
    const before = at > 0 ? this.#text.charCodeAt(at - 1) : -1;
    const after = at < this.#text.length ? this.#text.charCodeAt(at) : -1;
    let holds = 0;
    if (before === -1) holds |= BEGIN_TEXT | BEGIN_LINE;
    if (before === LINE_FEED) holds |= BEGIN_LINE;
    if (after === -1) holds |= END_TEXT | END_LINE;
    if (after === LINE_FEED) holds |= END_LINE;
    if (!this.#wordBoundaries) return holds;
    return holds | (this.#wordBefore(at) === this.#wordAt(at) ? NO_WORD_BOUNDARY : WORD_BOUNDARY);
  }

  #wordAt(at: number): boolean {
    const code = at < this.#text.length ? this.#text.codePointAt(at) : undefined;
    return code !== undefined && isWord(code);
  }

  #wordBefore(at: number): boolean {
    if (at <= 0) return false;
    const low = this.#text.charCodeAt(at - 1);
    const pair = at > 1 && low >= 0xdc00 && low < 0xe000 ? this.#text.codePointAt(at - 2) : undefined;
    return isWord(pair !== undefined && pair > 0xffff ? pair : low);
  }
}
