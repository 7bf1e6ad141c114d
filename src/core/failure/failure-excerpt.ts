import type { OutputStream } from '../ports/task-processes.ts';
import { isErrorLine } from './error-line.ts';

/** Limits of an excerpt (docs/task-logs.md#failure-excerpt). Characters are UTF-16 code units. */
export const EXCERPT_LIMITS = {
  /** Lines of an excerpt: the error line and those before it. */
  lines: 5,
  lineCharacters: 240,
  /** All lines of an excerpt with their separators. */
  characters: 5 * 241,
  /** Last lines of the output in which the error line is searched. */
  searchedLines: 200,
} as const;

/** Control sequences of terminals (CSI and OSC), such as colors. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const HALF_CHARACTER = /[\ud800-\udbff]$/;

interface OutputLine {
  readonly text: string;
  readonly stream: OutputStream;
}

/** The last lines of the output of an attempt, for an excerpt if it fails. Memory is bounded by EXCERPT_LIMITS. */
export class OutputTail {
  readonly #lines: OutputLine[] = [];
  #next = 0;

  /** Adds a line without its line break. */
  add(stream: OutputStream, line: string): void {
    this.#lines[this.#next] = { text: startOf(line), stream };
    this.#next = (this.#next + 1) % EXCERPT_LIMITS.searchedLines;
  }

  /** Reports whether one of the lines passes the test, as it is shown. */
  some(test: LineTest): boolean {
    return this.#lines.some(({ text }) => test(shownLine(text)));
  }

  /**
   * Returns the last line that looks like an error, after up to four lines that precede it, separated by line feeds.
   * Without such a line it ends with the last line of stderr, and without that, with the last line. Empty lines are
   * omitted. Empty without output.
   */
  excerpt(): string {
    const ordered = [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
    const lines = ordered.flatMap(({ text, stream }) => {
      const shown = shownLine(text);
      return shown === '' ? [] : [{ text: shown, stream }];
    });
    const error = lines.findLastIndex(({ text }) => isErrorLine(text));
    const stderr = lines.findLastIndex(({ stream }) => stream === 'stderr');
    const last = error !== -1 ? error : stderr !== -1 ? stderr : lines.length - 1;
    return lines
      .slice(Math.max(0, last + 1 - EXCERPT_LIMITS.lines), last + 1)
      .map(({ text }) => text)
      .join('\n');
  }
}

/** Reports whether a line contains a pattern. */
export type LineTest = (line: string) => boolean;

/** Characters of a line that are kept: colors and overwritten text are removed from them later. */
const KEPT_CHARACTERS = 4 * EXCERPT_LIMITS.lineCharacters;

/** A copy, because a part of a text keeps the whole text in memory. */
const startOf = (line: string): string =>
  line.length <= KEPT_CHARACTERS ? line : line.slice(0, KEPT_CHARACTERS).split('').join('');

/** Returns a line as a terminal shows it: the text after its last carriage return, without control characters. */
function shownLine(line: string): string {
  const text = line.replace(ESCAPES, '').replace(/\r+$/, '');
  return text
    .slice(text.lastIndexOf('\r') + 1)
    .replace(CONTROL, ' ')
    .trimEnd()
    .slice(0, EXCERPT_LIMITS.lineCharacters)
    .replace(HALF_CHARACTER, '');
}
