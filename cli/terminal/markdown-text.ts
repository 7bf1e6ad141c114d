import type { Block, Inline } from '../../src/core/markdown/markdown-tree.ts';
import { parseMarkdown } from '../../src/core/markdown/parse-markdown.ts';
import { TerminalFilter } from './terminal-filter.ts';
import { printable, printableLines, type Terminal } from './terminal.ts';
import { padText, textWidth } from './text-width.ts';

const CODE_INDENT = '    ';
const BULLET = '- ';
/** Bold and underlined text (SGR): the code and its end. */
const STYLES = { strong: [1, 22], heading: [1, 22], emphasis: [4, 24] } as const;

type Style = keyof typeof STYLES;

/** A part of a word: blanks or line breaks are only between words. */
interface Piece {
  readonly text: string;
  readonly style: Style | null;
}

/** A word, which begins a new line if `breaks`. */
interface Word {
  readonly pieces: Piece[];
  readonly breaks: boolean;
}

/**
 * Returns a readme as text for a terminal (docs/contract/products.md): blocks with a blank line between them, wrapped at
 * the columns of the terminal if it has a width. Bold and underline appear only with colors. Escape sequences of the
 * readme are removed, and other control characters replaced, so that it cannot change the terminal.
 */
export function markdownText(
  readme: string,
  { columns, colors }: Pick<Terminal, 'columns' | 'colors'>,
): string {
  const filter = new TerminalFilter(false);
  const blocks = parseMarkdown(filter.write(readme).replaceAll('\t', CODE_INDENT) + filter.end());
  return blocks.map((block) => `${blockLines(block, columns, colors).join('\n')}\n`).join('\n');
}

function blockLines(block: Block, columns: number | null, colors: boolean): readonly string[] {
  switch (block.kind) {
    case 'paragraph':
      return wrapped(wordsOf(block.content, null), columns, colors);
    case 'heading':
      return wrapped(wordsOf(block.content, 'heading'), columns, colors);
    case 'code':
      return printableLines(block.text)
        .split('\n')
        .map((line) => CODE_INDENT + line);
    case 'list':
      return listLines(block.items, block.start, columns, colors);
  }
}

function listLines(
  items: readonly (readonly Inline[])[],
  start: number | null,
  columns: number | null,
  colors: boolean,
): readonly string[] {
  const marks = items.map((_, at) => (start === null ? BULLET : `${start + at}. `));
  const indent = Math.max(...marks.map((mark) => mark.length));
  const room = columns === null ? null : Math.max(1, columns - indent);
  return items.flatMap((item, at) =>
    wrapped(wordsOf(item, null), room, colors).map(
      (line, row) => padText(row === 0 ? (marks[at] ?? '') : '', indent, 'right') + line,
    ),
  );
}

function wordsOf(inlines: readonly Inline[], style: Style | null): readonly Word[] {
  const words: Word[] = [{ pieces: [], breaks: false }];
  for (const inline of inlines) {
    for (const part of shownText(inline).split(/([ \n]+)/)) {
      if (/^[ \n]/.test(part)) words.push({ pieces: [], breaks: part.includes('\n') });
      else if (part !== '')
        words.at(-1)?.pieces.push({ text: printable(part), style: style ?? styleOf(inline) });
    }
  }
  return words;
}

const shownText = (inline: Inline): string =>
  inline.kind === 'link' && inline.href !== inline.text ? `${inline.text} (${inline.href})` : inline.text;

const styleOf = ({ kind }: Inline): Style | null => (kind === 'strong' || kind === 'emphasis' ? kind : null);

/** Fills lines with words. A word that is wider than a line has a line of its own. */
function wrapped(words: readonly Word[], columns: number | null, colors: boolean): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const { pieces, breaks } of words) {
    const wordWidth = pieces.reduce((sum, { text }) => sum + textWidth(text), 0);
    if (breaks || (columns !== null && width > 0 && width + 1 + wordWidth > columns)) {
      lines.push(line);
      line = '';
      width = 0;
    }
    if (wordWidth === 0) continue;
    if (width > 0) line += ' ';
    width += (width > 0 ? 1 : 0) + wordWidth;
    line += pieces.map((piece) => styled(piece, colors)).join('');
  }
  return [...lines, line];
}

function styled({ text, style }: Piece, colors: boolean): string {
  if (style === null || !colors) return text;
  const [begin, end] = STYLES[style];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
}
