import type { SourceSpan } from './syntax/tree.ts';

/** Maximum length of a message, in characters: quoted values may make it longer. */
const MAX_MESSAGE = 2000;

/**
 * Failure of an expression. It is thrown only inside src/openjd/expr: callers outside get it as a result. The innermost
 * evaluated node adds the position.
 */
export class ExprFailure extends Error {
  readonly place: SourceSpan | null;
  /** Set if an evaluation limit was exceeded: then no other branch of the expression is tried. */
  readonly exhausted: boolean;

  constructor(message: string, place: SourceSpan | null = null, exhausted = false) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.name = 'ExprFailure';
    this.place = place;
    this.exhausted = exhausted;
  }

  /** Returns the failure with this position, unless it already has one. */
  at(place: SourceSpan): ExprFailure {
    return this.place === null ? new ExprFailure(this.message, place, this.exhausted) : this;
  }
}

/** Maximum number of code points shown of a source line; a longer line is shown around the caret. */
const MAX_SHOWN = 400;

const CUT = '...';

/**
 * Formats a failure for people: its message, the source line with the caret, and a line that marks the failed part with
 * `~`, and with `^` at the caret. Leading blanks of the source are removed, and both lines are indented by two; widths
 * are in code points. A failure without a position is only its message.
 */
export function failureText({ message, place }: ExprFailure, source: string): string {
  if (place === null) return message;
  const [line, marks] = shortened(...lineOf(place, source));
  return `${message}\n  ${line}\n  ${marks}`;
}

/** Returns the line of the caret, the marks beneath it, and the index of the caret among its code points. */
function lineOf({ start, end, caret }: SourceSpan, source: string): readonly [string[], string[], number] {
  const lineStart = caret === 0 ? 0 : source.lastIndexOf('\n', caret - 1) + 1;
  const lineFeed = source.indexOf('\n', caret);
  const first = Math.max(lineStart, source.length - source.trimStart().length);
  const line = source.slice(first, lineFeed === -1 ? source.length : lineFeed).trimEnd();
  // A part that begins on an earlier line is marked from the first character of this line.
  const from = start < first ? line.length - line.trimStart().length : start - first;
  const before = Array.from(line.slice(0, from), (character) => (character === '\t' ? '\t' : ' '));
  const marked = Array.from(line.slice(from, end - first), () => '~');
  const at = before.length + Array.from(line.slice(from, caret - first)).length;
  const marks = [...before, ...marked];
  marks[at] = '^';
  return [Array.from(line), marks, at];
}

function shortened(line: string[], marks: string[], caret: number): readonly [string, string] {
  if (line.length <= MAX_SHOWN) return [line.join(''), marks.join('')];
  const start = Math.max(0, Math.min(caret - MAX_SHOWN / 2, line.length - MAX_SHOWN));
  const end = start + MAX_SHOWN;
  const before = start > 0 ? CUT : '';
  return [
    `${before}${line.slice(start, end).join('')}${end < line.length ? CUT : ''}`,
    `${' '.repeat(before.length)}${marks.slice(start, end).join('')}`,
  ];
}
