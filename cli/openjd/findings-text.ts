import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import type { TemplateFile } from '../commands/template-file.ts';
import { painted, printable, printableLines } from '../commands/terminal.ts';

/** Characters of a line that are shown; the place of the error is always among them. */
const SHOWN_WIDTH = 110;
/** Characters of a cut line before the place of the error, at least. */
const SHOWN_BEFORE = 40;

/**
 * Errors of a template for people: `file:line:column: pointer: message` (of an expression with the part that it is about), the line itself and a caret below the place, and how many there
 * are. Ends without a line feed.
 */
export function findingsText(file: TemplateFile, errors: readonly PointedError[], colors: boolean): string {
  const lines = file.text.split('\n');
  const texts = errors.map((error) => [
    headline(file, error, colors),
    ...excerpt(lines, error.line, error.column, colors),
  ]);
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  return [...texts.flat(), painted(count, 'red', colors)].join('\n');
}

function headline(
  file: TemplateFile,
  { pointer, detail, line, column }: PointedError,
  colors: boolean,
): string {
  const place = line === undefined ? file.name : `${file.name}:${line}:${column ?? 1}`;
  const subject = pointer === '' ? '' : `${painted(printable(pointer), 'cyan', colors)}: `;
  return `${printable(place)}: ${subject}${printableLines(detail)}`;
}

/** The line and the caret; nothing for errors without a place, and for empty lines. */
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
