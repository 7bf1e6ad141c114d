import type { Block, HeadingLevel } from './markdown-tree.ts';
import { parseInlines } from './parse-inlines.ts';

const FENCE = /^( {0,3})(`{3,}|~{3,})([^]*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+([^ \t][^]*)$/;
const ITEM = /^( {0,3})(?:[-*+]|(\d{1,9})[.)])[ \t]+([^ \t][^]*)$/;
/** A marker of an item at any indentation: a nested list. */
const NESTED_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
/** First characters of lines of tables, quotes, raw HTML and underlines: text whose line breaks matter. */
const LITERAL_LINE = /^[ \t]*[|><=#:-]/;
const LOWEST_LEVEL = 6;

/** A list or a paragraph whose lines are still being read. */
type Open =
  | { readonly kind: 'paragraph'; text: string }
  | {
      readonly kind: 'list';
      readonly start: number | null;
      readonly indent: number;
      readonly items: string[];
    };

interface Reader {
  readonly blocks: Block[];
  open: Open | null;
  /** True after a blank line, which ends a paragraph or an item. */
  afterBlank: boolean;
}

/**
 * Parses a readme (docs/contract/products.md). Accepts every text and takes linear time. What is not in the subset stays
 * text; no text gets lost.
 */
export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.split(/\r\n|\r|\n/);
  const reader: Reader = { blocks: [], open: null, afterBlank: false };
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trimEnd();
    const fence = FENCE.exec(line);
    if (fence !== null && isFence(fence)) {
      close(reader);
      const end = fenceEnd(lines, at + 1, fence[2] ?? '');
      reader.blocks.push(codeBlock(fence, lines.slice(at + 1, end)));
      at = end;
    } else if (line === '') {
      if (reader.open?.kind === 'paragraph') close(reader);
      reader.afterBlank = true;
    } else {
      readLine(reader, line);
      reader.afterBlank = false;
    }
  }
  close(reader);
  return reader.blocks;
}

/** The info of a backtick fence has no backticks: such a line is inline code. */
const isFence = ([, , fence = '', info = '']: readonly string[]): boolean =>
  !(fence.startsWith('`') && info.includes('`'));

/** Returns the number of the closing line. A fence without one ends with the text. */
function fenceEnd(lines: readonly string[], from: number, fence: string): number {
  const mark = fence.charAt(0);
  for (let at = from; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim();
    if (line.length >= fence.length && line === mark.repeat(line.length)) return at;
  }
  return lines.length;
}

function codeBlock([, indent = '', , info = '']: readonly string[], lines: readonly string[]): Block {
  const shown = lines.map((line) => {
    let from = 0;
    while (from < indent.length && line[from] === ' ') from += 1;
    return line.slice(from);
  });
  return { kind: 'code', info: info.trim(), text: shown.join('\n') };
}

function readLine(reader: Reader, line: string): void {
  const heading = HEADING.exec(line);
  const item = ITEM.exec(line);
  if (heading !== null) {
    close(reader);
    const [, marks = '', text = ''] = heading;
    reader.blocks.push({ kind: 'heading', level: shownLevel(marks.length), content: parseInlines(text) });
  } else if (item === null || !addItem(reader, item)) addText(reader, line);
}

/** Headings are one level down. */
const shownLevel = (level: number): HeadingLevel => {
  const levels: readonly HeadingLevel[] = [2, 3, 4, 5, LOWEST_LEVEL];
  return levels[level - 1] ?? LOWEST_LEVEL;
};

/** Adds an item to the open list or a new one. Returns false if the line is text: of an item, or of a paragraph. */
function addItem(
  reader: Reader,
  [, indent = '', digits, text = '']: readonly (string | undefined)[],
): boolean {
  const { open } = reader;
  const start = digits === undefined ? null : Number(digits);
  if (open?.kind === 'list') {
    if (indent.length > open.indent) return false;
    if ((open.start === null) === (start === null)) {
      open.items.push(text);
      return true;
    }
  }
  // A number at the beginning of a line of a paragraph is usually a part of its sentence.
  if (open?.kind === 'paragraph' && start !== null && start !== 1) return false;
  close(reader);
  reader.open = { kind: 'list', start, indent: indent.length, items: [text] };
  return true;
}

/** Adds a line to the open item or paragraph, or begins a paragraph. */
function addText(reader: Reader, line: string): void {
  const { open, afterBlank } = reader;
  const isNested = NESTED_ITEM.test(line);
  if (open?.kind === 'list' && (!afterBlank || isNested)) {
    const last = open.items.length - 1;
    open.items[last] = joined(open.items[last] ?? '', line, isNested);
  } else if (open?.kind === 'paragraph') open.text = joined(open.text, line, false);
  else {
    close(reader);
    reader.open = { kind: 'paragraph', text: line.trimStart() };
  }
}

/** Joins two lines by a blank, or by a line break if the second one is literal markup. */
function joined(text: string, line: string, isNested: boolean): string {
  const isLiteral = isNested || LITERAL_LINE.test(line);
  return `${text}${isLiteral ? '\n' : ' '}${line.trimStart()}`;
}

function close(reader: Reader): void {
  const { open } = reader;
  reader.open = null;
  if (open?.kind === 'paragraph') reader.blocks.push({ kind: 'paragraph', content: parseInlines(open.text) });
  if (open?.kind === 'list')
    reader.blocks.push({ kind: 'list', start: open.start, items: open.items.map(parseInlines) });
}
