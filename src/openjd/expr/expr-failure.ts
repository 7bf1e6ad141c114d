import type { SourceSpan } from './syntax/tree.ts';

/** Characters of a message: one that quotes a value is cut. */
const MAX_MESSAGE = 2000;

/**
 * Why an expression has no value. Thrown inside src/openjd/expr alone: what evaluates an expression for others gives it as a result. The message
 * has no place at first; the innermost node that was evaluated adds its own.
 */
export class ExprFailure extends Error {
  readonly place: SourceSpan | null;
  /** Whether a limit of evaluation was exceeded: no other branch of the expression can save it. */
  readonly exhausted: boolean;

  constructor(message: string, place: SourceSpan | null = null, exhausted = false) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);
    this.name = 'ExprFailure';
    this.place = place;
    this.exhausted = exhausted;
  }

  /** The same failure at a place, unless it has one. */
  at(place: SourceSpan): ExprFailure {
    return this.place === null ? new ExprFailure(this.message, place, this.exhausted) : this;
  }
}

/** Code points of a source line that are shown: of a longer one those around the caret. */
const MAX_SHOWN = 400;

const CUT = '...';

/**
 * A failure for people: its message, the line of the source with the caret, and beneath it what the failure is about, `~` with `^` where the caret
 * stands. Blanks before the whole source are left out, and both lines stand two blanks in; widths are code points. The message alone for a failure
 * without a place.
 */
export function failureText({ message, place }: ExprFailure, source: string): string {
  if (place === null) return message;
  const [line, marks] = shortened(...lineOf(place, source));
  return `${message}\n  ${line}\n  ${marks}`;
}

/** The line of the caret, the marks beneath it, and the index of the caret among its code points. */
function lineOf({ start, end, caret }: SourceSpan, source: string): readonly [string[], string[], number] {
  const lineStart = caret === 0 ? 0 : source.lastIndexOf('\n', caret - 1) + 1;
  const lineFeed = source.indexOf('\n', caret);
  const first = Math.max(lineStart, source.length - source.trimStart().length);
  const line = source.slice(first, lineFeed === -1 ? source.length : lineFeed).trimEnd();
  // What has begun on a line before is marked from the first character of this one.
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
