import { linkTarget } from './link-target.ts';
import type { Inline } from './markdown-tree.ts';

/** A run of one delimiter character. */
interface Run {
  readonly char: string;
  readonly at: number;
  readonly length: number;
  /** Position of the run that closes this one; null if nothing does. */
  close: number | null;
}

/** An inline with the position after it. */
interface Found {
  readonly inline: Inline;
  readonly end: number;
}

const SPACE = /^\s?$/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** Longest run that is emphasis; a longer one is nesting. */
const STRONG_LENGTH = 2;

/**
 * Returns the inlines of a block. Markup within markup, unmatched delimiters, images and links with other schemes stay
 * text. Takes linear time: closing runs are found in one pass, and the searches of brackets do not overlap.
 */
export function parseInlines(text: string): readonly Inline[] {
  const runs = matchedRuns(text);
  const inlines: Inline[] = [];
  let plainFrom = 0;
  const addPlain = (end: number): void => {
    if (end > plainFrom) inlines.push({ kind: 'text', text: text.slice(plainFrom, end) });
  };
  for (let at = 0; at < text.length;) {
    const run = runs.get(at);
    const found = run === undefined ? readBracket(text, at) : readRun(text, run);
    if (found === null) {
      at += run?.length ?? 1;
      continue;
    }
    if (found.inline.kind !== 'text') {
      addPlain(at);
      inlines.push(found.inline);
      plainFrom = found.end;
    }
    at = found.end;
  }
  addPlain(text.length);
  return inlines;
}

function readRun(text: string, { char, at, length, close }: Run): Found | null {
  if (close === null) return null;
  const content = text.slice(at + length, close);
  const end = close + length;
  if (char === '`') return { inline: { kind: 'code', text: unpadded(content) }, end };
  return { inline: { kind: length === STRONG_LENGTH ? 'strong' : 'emphasis', text: content }, end };
}

/** Removes the blank on either side, which allows code to begin or end with a backtick. */
const unpadded = (code: string): string =>
  code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code;

/** Reads a link or an image. An image, and a link with another scheme, are one text. */
function readBracket(text: string, at: number): Found | null {
  const isImage = text[at] === '!' && text[at + 1] === '[';
  const open = isImage ? at + 1 : at;
  if (text[open] !== '[') return null;
  const close = labelEnd(text, open + 1);
  if (close === null || text[close + 1] !== '(') return null;
  const end = targetEnd(text, close + 2);
  if (end === null) return null;
  const label = text.slice(open + 1, close);
  const href = isImage || label.trim() === '' ? null : linkTarget(text.slice(close + 2, end));
  const inline: Inline =
    href === null ? { kind: 'text', text: text.slice(at, end + 1) } : { kind: 'link', text: label, href };
  return { inline, end: end + 1 };
}

/** Returns the position of the bracket that ends a label; null if another label begins in it. */
function labelEnd(text: string, from: number): number | null {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === ']') return at;
    if (text[at] === '[') return null;
  }
  return null;
}

/** Returns the position of the parenthesis that ends a target, in which parentheses are balanced. */
function targetEnd(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '[') return null;
    if (char === '(') depth += 1;
    if (char === ')') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return null;
}

/** Returns the runs of delimiters by position, with what closes them. Code has no delimiters in it. */
function matchedRuns(text: string): ReadonlyMap<number, Run> {
  const runs = new Map<number, Run>();
  const all = [...text.matchAll(/`+|\*+|_+/g)].map(({ 0: { length }, index }): Run => ({
    char: text.charAt(index),
    at: index,
    length,
    close: null,
  }));
  closeRuns(
    all.filter(({ char }) => char === '`'),
    () => true,
    () => true,
  );
  let codeEnd = 0;
  const outside = all.filter((run) => {
    if (run.at < codeEnd) return false;
    if (run.char === '`' && run.close !== null) codeEnd = run.close + run.length;
    return true;
  });
  closeRuns(
    outside.filter((run) => isEmphasis(text, run)),
    (run) => isOpening(text, run),
    (run) => isClosing(text, run),
  );
  for (const run of outside) runs.set(run.at, run);
  return runs;
}

/** Sets the next closing run of the same character and length, from the last run to the first. */
function closeRuns(
  runs: readonly Run[],
  canOpen: (run: Run) => boolean,
  canClose: (run: Run) => boolean,
): void {
  const next = new Map<string, number>();
  for (const run of runs.toReversed()) {
    const kind = `${run.char}${run.length}`;
    if (canOpen(run)) run.close = next.get(kind) ?? null;
    if (canClose(run)) next.set(kind, run.at);
  }
}

/** A backslash before a delimiter is text, and so is the delimiter. */
const isEmphasis = (text: string, run: Run): boolean =>
  run.char !== '`' && run.length <= STRONG_LENGTH && before(text, run) !== '\\';

const before = (text: string, { at }: Run): string => text.charAt(at - 1);
const after = (text: string, { at, length }: Run): string => text.charAt(at + length);

const isOpening = (text: string, run: Run): boolean => touches(run.char, after(text, run), before(text, run));

const isClosing = (text: string, run: Run): boolean => touches(run.char, before(text, run), after(text, run));

/**
 * Reports whether a delimiter belongs to the text `inside` it. An underscore within a word is a part of the word, as in
 * names of files.
 */
function touches(char: string, inside: string, outside: string): boolean {
  if (SPACE.test(inside)) return false;
  const isAtBoundary = SPACE.test(outside) || PUNCTUATION.test(outside);
  return char === '_' || PUNCTUATION.test(inside) ? isAtBoundary : true;
}
