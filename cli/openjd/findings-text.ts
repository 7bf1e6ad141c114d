import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import type { TextFile } from '../terminal/text-file.ts';
import { painted, printable, printableLines } from '../terminal/terminal.ts';

/** Maximum number of characters that are shown of a line. The position of the error is always among them. */
const SHOWN_WIDTH = 110;
/** Minimum number of characters before the position of the error in a cut line. */
const SHOWN_BEFORE = 40;

/**
 * Formats the errors of a template: `file:line:column: pointer: message` (with the affected part of an expression), the
 * line with a caret below the position, and the number of errors. Ends without a line feed.
 */
export function findingsText(
  file: Pick<TextFile, 'name' | 'text'>,
  errors: readonly PointedError[],
  colors: boolean,
): string {
  const lines = file.text.split('\n');
  const texts = errors.map((error) => [
    headline(file, error, colors),
    ...excerpt(lines, error.line, error.column, colors),
  ]);
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  return [...texts.flat(), painted(count, 'red', colors)].join('\n');
}

function headline(
  file: Pick<TextFile, 'name' | 'text'>,
  { pointer, detail, line, column }: PointedError,
  colors: boolean,
): string {
  const place = line === undefined ? file.name : `${file.name}:${line}:${column ?? 1}`;
  const subject = pointer === '' ? '' : `${painted(printable(pointer), 'cyan', colors)}: `;
  return `${printable(place)}: ${subject}${printableLines(detail)}`;
}

/** Returns the line and the caret; empty for errors without a position and for empty lines. */
function excerpt(lines: readonly string[], line: number | undefined, column = 1, colors: boolean): string[] {
  const text = line === undefined ? undefined : lines[line - 1]?.replace(/\r$/, '');
  if (line === undefined || text === undefined || text.trim() === '') return [];
  const at = Math.min(column - 1, text.length);
  const start = at < SHOWN_WIDTH - SHOWN_BEFORE ? 0 : at - SHOWN_BEFORE;
  const end = start + SHOWN_WIDTH;
  const shown = (part: string): string => printable(part.replaceAll('\t', ' '));
  const head = `${start > 0 ? '…' : ''}${shown(text.slice(start, at))}`;
  const tail = `${shown(text.slice(at, end))}${end < text.length ? '…' : ''}`;
  const margin = `${line} | `;
  const below = `${' '.repeat(margin.length - 2)}| `;
  const caret = `${' '.repeat([...head].length)}${painted('^', 'red', colors)}`;
  return [
    `  ${painted(margin, 'grey', colors)}${head}${tail}`,
    `  ${painted(below, 'grey', colors)}${caret}`,
  ];
}
