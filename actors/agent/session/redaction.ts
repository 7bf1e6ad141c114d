/**
 * States: redacting values, full (`isFull`, final: everything is hidden). Invariants: a value that was added is never
 * shown again; the limits bound memory. Exits: none, a redactor lives as long as its session.
 */

import { TextSearch, type Span } from './text-search.ts';

/** Replacement of a redacted value, whatever its length (docs/contract/sessions.md#redaction). */
export const REDACTED = '********';

/** The rest of a command line after this is never visible (docs/contract/sessions.md#redaction). */
const DIRECTIVE = 'openjd_redacted_env:';
const LINE_BREAK = /\r\n|\r|\n/;

/** Lengths of a base64 line: PEM and OpenSSL, MIME and `base64`. */
const BASE64_WIDTHS = [64, 76];

/** Limits of a redactor. Beyond one of the first two it redacts everything. */
export const REDACTION_LIMITS = {
  /** Maximum number of different values. */
  values: 1024,
  /** Maximum number of characters in all search texts; shared prefixes count once. */
  characters: 256 * 1024,
  /** Encoded forms are hidden only for values of these lengths. Those of shorter values would match much other text. */
  encodedCharactersMin: 8,
  encodedCharactersMax: 8192,
} as const;

/** Shortest line that can be as long as a line that is delivered in pieces (64 KiB), in UTF-16 code units. */
const LONG_LINE = 16_384;

/** State of a long line after some of its pieces. */
export interface LongLine {
  /** End of the pieces so far that is not shown yet: the rest of a value may follow. */
  readonly carried: string;
  /** Number of characters at the beginning of `carried` that belong to a value which is shown as redacted. */
  readonly masked: number;
  /** Whether the rest of the line is hidden. */
  readonly isHidden: boolean;
}

/** A long line of which nothing more is shown. */
export const HIDDEN_REST: LongLine = { carried: '', masked: 0, isHidden: true };

/**
 * Redacts values in the output of a session's processes and in texts about them (docs/contract/sessions.md#redaction).
 * Values stay redacted until the session ends. The cost of a line is linear in its length, independent of the number of
 * values.
 */
export class Redactor {
  private readonly search = new TextSearch();
  /** Inner lines of multi-line values: redacted only if a whole line matches. */
  private readonly lines = new Set<string>();
  private lineCharacters = 0;
  private readonly values = new Set<string>();
  private isFull = false;

  /** Whether a value was refused because there are too many. Then everything is redacted. */
  get hidesAll(): boolean {
    return this.isFull;
  }

  /**
   * Redacts a value from now on: the whole value, its first and last line wherever they occur, the lines between them
   * as whole lines, and the forms of the value in JSON, URLs and base64. Ignores an empty value.
   */
  add(value: string): void {
    this.register(value, false);
  }

  /**
   * Redacts a value of which only the beginning is known. The rest of the line after each occurrence is redacted too.
   */
  addBeginning(value: string): void {
    this.register(value, true);
  }

  /** Returns a line of output for the log. With `isCut` its end is missing, and a value may start there. */
  line(text: string, isCut = false): string {
    if (this.isFull) return REDACTED;
    if (this.lines.has(withoutReturn(text))) return REDACTED;
    const shown = shownOf(text);
    return shown < text.length ? this.head(text.slice(0, shown)) : this.mask(text, isCut);
  }

  /**
   * Returns what is shown of the next piece of a long line, together with what was carried over. All pieces of a line
   * show the same text as the line in one piece; only the number of replacements in a row may differ.
   */
  piece(
    text: string,
    before: LongLine | null,
    isLast: boolean,
  ): { readonly shown: string; readonly rest: LongLine } {
    if (before?.isHidden === true) return { shown: '', rest: HIDDEN_REST };
    const { carried, masked } = before ?? { carried: '', masked: 0 };
    if (this.isFull) return { shown: masked > 0 ? '' : REDACTED, rest: HIDDEN_REST };
    const whole = carried + text;
    const { spans: found, begun, isOpen } = this.search.scan(whole);
    const spans = merged(masked > 0 ? [{ start: 0, end: masked }, ...found] : found);
    const isDirective = whole.includes(DIRECTIVE);
    const kept = isLast || isDirective || isOpen ? 0 : Math.max(begun, begunOf(DIRECTIVE, whole));
    const end = isDirective ? shownOf(whole) : whole.length - kept;
    const visible = spans.flatMap((span) =>
      span.start < end ? [{ start: span.start, end: Math.min(span.end, end) }] : [],
    );
    const all = without(whole.slice(0, end), visible);
    // The beginning of a value that was shown as redacted is not shown again.
    const shown = `${masked > 0 && end > 0 ? all.slice(REDACTED.length) : all}${isDirective ? REDACTED : ''}`;
    if (isDirective || isOpen) return { shown, rest: HIDDEN_REST };
    const covering = spans.find(
      (span) => span.end > end && (span.start < end || (masked > 0 && span.start === 0)),
    );
    const rest = { carried: whole.slice(end), masked: (covering?.end ?? end) - end, isHidden: false };
    return { shown, rest };
  }

  /** Returns the visible beginning of a directive's line, with the rest redacted. */
  head(text: string): string {
    return this.isFull ? REDACTED : `${this.mask(text, false)}${REDACTED}`;
  }

  /** Redacts a message of one or more lines. */
  text(text: string): string {
    if (!text.includes('\n')) return text === '' ? '' : this.line(text);
    if (this.isFull) return REDACTED;
    const spans = [...this.search.find(text, false)];
    let start = 0;
    for (const line of text.split('\n')) {
      const end = start + line.length;
      const shown = this.lines.has(withoutReturn(line)) ? 0 : shownOf(line);
      if (shown < line.length) spans.push({ start: start + shown, end });
      start = end + 1;
    }
    return without(text, merged(spans));
  }

  private register(given: string, isOpen: boolean): void {
    // A process gets the value as UTF-8 and prints that.
    const value = Buffer.from(given).toString();
    const key = `${isOpen ? 'from ' : 'only '}${value}`;
    if (value === '' || this.isFull || this.values.has(key)) return;
    this.values.add(key);
    if (this.values.size > REDACTION_LIMITS.values) this.isFull = true;
    const lines = trimmed(value.split(LINE_BREAK));
    this.hide(value, isOpen);
    this.hide(lines.at(-1) ?? '', isOpen);
    for (const form of new Set([given, lines[0] ?? '', ...(lines.length === 0 ? [] : encoded(value))])) {
      if (form !== value) this.hide(form, false);
    }
    for (const line of lines.slice(1, -1)) this.hideLine(line);
    if (lines.length > 0) this.hideWrapped(value);
  }

  /**
   * Hides the value as programs write long base64 text: in lines, with or without the line feed that `echo` adds to the
   * value.
   */
  private hideWrapped(value: string): void {
    if (value.length > REDACTION_LIMITS.encodedCharactersMax) return;
    for (const bytes of [value, `${value}\n`]) {
      const text = Buffer.from(bytes).toString('base64');
      for (const width of BASE64_WIDTHS) {
        if (text.length <= width) continue;
        this.hide(text.slice(0, width), false);
        for (let start = width; start < text.length; start += width) {
          this.hideLine(text.slice(start, start + width));
        }
      }
    }
  }

  private hide(text: string, isOpen: boolean): void {
    if (this.search.size + text.length > REDACTION_LIMITS.characters) this.isFull = true;
    if (!this.isFull) this.search.add(text, isOpen);
  }

  private hideLine(line: string): void {
    if (line === '' || this.lines.has(line)) return;
    // A line that is delivered in pieces is never compared as a whole.
    if (line.length >= LONG_LINE) this.hide(line, false);
    this.lineCharacters += line.length;
    if (this.lineCharacters > REDACTION_LIMITS.characters) this.isFull = true;
    else this.lines.add(line);
  }

  private mask(text: string, isCut: boolean): string {
    return without(text, this.search.find(text, isCut));
  }
}

/** Returns the forms of a value in JSON, URLs and base64. */
function encoded(value: string): readonly string[] {
  const { encodedCharactersMin: min, encodedCharactersMax: max } = REDACTION_LIMITS;
  if (value.length > max) return [];
  const json = JSON.stringify(value).slice(1, -1);
  if (value.length < min) return [json];
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [json, encodeURIComponent(value), base64, bytes.toString('base64url')];
}

/** Returns the spans in order, overlapping ones merged. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || last.end <= span.start) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}

function without(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let shown = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(shown, start), REDACTED);
    shown = end;
  }
  pieces.push(text.slice(shown));
  return pieces.join('');
}

/** Returns how many characters of a line may be visible: a directive's secret follows its name. */
function shownOf(line: string): number {
  const place = line.indexOf(DIRECTIVE);
  if (place === -1) return line.length;
  const end = place + DIRECTIVE.length;
  return line[end] === ' ' ? end + 1 : end;
}

/** Returns the length of the longest end of a text that a word begins with, but is not all of it. */
function begunOf(word: string, text: string): number {
  let length = Math.min(word.length - 1, text.length);
  while (length > 0 && !text.endsWith(word.slice(0, length))) length--;
  return length;
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Removes empty lines at the beginning and at the end. */
function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}
