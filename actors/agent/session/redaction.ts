import { TextSearch, type Span } from './text-search.ts';

/** What stands in the place of a hidden value, whatever its length (docs/contract/sessions.md#redaction). */
export const REDACTED = '********';

/** From here on a command line is never shown (docs/contract/sessions.md#redaction). */
const DIRECTIVE = 'openjd_redacted_env:';
const LINE_BREAK = /\r\n|\r|\n/;

/** Of a line of base64: PEM and OpenSSL, MIME and `base64`. */
const BASE64_WIDTHS = [64, 76];

/** The limits of what a session hides. Beyond one of the first two everything is hidden. */
export const REDACTION_LIMITS = {
  /** Different values that were given. */
  values: 1024,
  /** Characters of what is looked for, shared beginnings counted once. */
  characters: 256 * 1024,
  /** Values of other lengths have no encoded forms: shorter ones would hide much that is none. */
  encodedCharactersMin: 8,
  encodedCharactersMax: 8192,
} as const;

/**
 * Hides values in what a session's processes write and in what is said of them (docs/contract/sessions.md#redaction).
 * It holds for as long as the session lives and forgets nothing. The cost of a line is linear in its length, whatever
 * is hidden.
 */
export class Redactor {
  private readonly search = new TextSearch();
  /** Lines in the middle of a value: hidden only where a whole line equals one. */
  private readonly lines = new Set<string>();
  private lineCharacters = 0;
  private readonly values = new Set<string>();
  private isFull = false;

  /** Whether a value was refused because there are too many: then nothing is shown any more. */
  get hidesAll(): boolean {
    return this.isFull;
  }

  /**
   * Hides a value from now on: as a whole, its first and its last line wherever they occur, lines between them where a whole line equals
   * one; and the value as JSON, a URL and base64 would write it. An empty value hides nothing.
   */
  add(value: string): void {
    this.register(value, false);
  }

  /** Hides a value of which only the beginning is known: wherever it occurs, all that follows on the line is hidden too. */
  addBeginning(value: string): void {
    this.register(value, true);
  }

  /** A line of output as it is logged. With `isCut` its end is missing, where a value may have begun. */
  line(text: string, isCut = false): string {
    if (this.isFull) return REDACTED;
    if (this.lines.has(withoutReturn(text))) return REDACTED;
    const shown = shownOf(text);
    return shown < text.length ? this.head(text.slice(0, shown)) : this.mask(text, isCut);
  }

  /** The beginning of a directive's line, behind which the rest is hidden. */
  head(text: string): string {
    return this.isFull ? REDACTED : `${this.mask(text, false)}${REDACTED}`;
  }

  /** A message of one or more lines. */
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
    // A process gets what UTF-8 can hold, and that is what it prints.
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

  /** The value as programs write base64 that is longer than a line: with a line feed behind the value, which `echo` adds, or without. */
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
    this.lineCharacters += line.length;
    if (this.lineCharacters > REDACTION_LIMITS.characters) this.isFull = true;
    else this.lines.add(line);
  }

  private mask(text: string, isCut: boolean): string {
    return without(text, this.search.find(text, isCut));
  }
}

/** How JSON, a URL and base64 write a value. */
function encoded(value: string): readonly string[] {
  const { encodedCharactersMin: min, encodedCharactersMax: max } = REDACTION_LIMITS;
  if (value.length > max) return [];
  const json = JSON.stringify(value).slice(1, -1);
  if (value.length < min) return [json];
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [json, encodeURIComponent(value), base64, bytes.toString('base64url')];
}

/** In order, those that overlap as one. */
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

/** How much of a line may be seen at the most: what a directive would hide comes after its name. */
function shownOf(line: string): number {
  const place = line.indexOf(DIRECTIVE);
  if (place === -1) return line.length;
  const end = place + DIRECTIVE.length;
  return line[end] === ' ' ? end + 1 : end;
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Without the empty lines at the beginning and at the end. */
function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}
