import { RE2JS } from 're2js';
import { isWord } from '../../openjd/expr/regex/code-point-ranges.ts';
import type { RegexMatch } from '../../openjd/expr/regex/regex-engine.ts';

/**
 * The only use of internals of re2js (docs/decisions/expression-costs.md): `RE2.doExecuteNFA`, `RE2.cond`, and the
 * input that its machine reads, which is `CountingInput` here. The test of this file checks that the members exist and
 * behave as described. Run it after each update of re2js.
 */

/** Anchors of the engine. */
export const ANYWHERE = 0;
export const AT_START = 1;

/** Result of `step` at the end of the text: code point -1 with width 0. */
const END = -8;
/** Number of bits for the width, below the code point in the result of `step`. */
const WIDTH_BITS = 3;

/** Conditions between two code points, in the engine's bits. */
const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

const LINE_FEED = 10;
/** Number of steps that are reported together. */
const BATCH = 64;
/** Maximum length of a searched literal prefix; a longer one is not faster and has a bad worst case. */
const MAX_PREFIX = 6;

/** The member of the compiled program that `index` reads. */
interface Prefixed {
  readonly prefix: string;
}

/**
 * Input of the engine's machine that counts steps and uses Unicode's word boundaries. The text begins at position
 * `offset`: at position 0 the machine ignores `context` and uses ASCII word boundaries.
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

  /** Reports the steps since the last report. */
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

  /** Returns the code point at a position, and its width. */
  step(position: number): number {
    this.#steps += 1;
    if (this.#steps >= BATCH) this.flush();
    const at = position - this.#offset;
    const code = at < this.#text.length ? this.#text.codePointAt(at) : undefined;
    if (code === undefined) return END;
    return (code << WIDTH_BITS) | (code > 0xffff ? 2 : 1);
  }

  /** Returns the distance to the next possible position of the program's literal prefix, or -1. */
  index(program: Prefixed, position: number): number {
    const at = position - this.#offset;
    const found = this.#text.indexOf(program.prefix.slice(0, MAX_PREFIX), at);
    this.#steps += Math.floor(((found < 0 ? this.#text.length : found) - at) / BATCH);
    return found < 0 ? -1 : found - at;
  }

  /** Returns the conditions that hold at a position. */
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

/**
 * A compiled program that only the NFA of the engine runs: its other ways to run a program do not report their steps.
 */
export class Program {
  readonly groups: number;
  readonly #compiled: ReturnType<RE2JS['re2']>;
  /** Number of instructions, weighted by the group positions that are copied with each. */
  readonly cost: number;

  constructor(pattern: string) {
    const re = RE2JS.compile(pattern);
    this.#compiled = re.re2();
    this.groups = re.groupCount();
    this.cost = Math.ceil((re.programSize() * (2 + this.groups)) / 2);
  }

  /**
   * Disables the shortcut for patterns that begin at the start of the text: it assumes that the text begins at position
   * 0.
   */
  disableStartShortcut(): void {
    this.#compiled.cond = 0;
  }

  /**
   * Returns the first match at or after `from`, or null. The text begins at position `offset` of the input; `from` and
   * the result are offsets of the text. Calls `work` with executed instructions.
   */
  run(
    text: string,
    from: number,
    options: { readonly offset: 0 | 1; readonly anchor: number; readonly wordBoundaries: boolean },
    work: (instructions: number) => void,
  ): RegexMatch | null {
    const { offset, anchor, wordBoundaries } = options;
    const input = new CountingInput(text, offset, wordBoundaries, (steps) => {
      work(steps * this.cost);
    });
    const found: unknown = this.#compiled.doExecuteNFA(input, from + offset, anchor, 2 * (1 + this.groups));
    input.flush();
    if (!Array.isArray(found)) return null;
    const bounds = found.map((position) => (typeof position === 'number' ? position - offset : -1));
    const groups: (string | null)[] = [];
    for (let group = 1; group <= this.groups; group++) {
      const [start, end] = boundsOf(bounds, group);
      groups.push(start < 0 ? null : text.slice(start, end));
    }
    const [start, end] = boundsOf(bounds, 0);
    return { start, end, groups };
  }
}

const boundsOf = (bounds: readonly number[], group: number): readonly [start: number, end: number] => [
  bounds[2 * group] ?? -1,
  bounds[2 * group + 1] ?? -1,
];
