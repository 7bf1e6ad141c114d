import type { DocumentNode, MappingEntry, Position } from '../primitives/document.ts';
import { DOCUMENT_LIMITS, type DocumentLimits } from '../primitives/document-limits.ts';
import { LineIndex } from '../primitives/line-index.ts';
import { pointerTo } from '../primitives/pointed-error.ts';
import { Unreadable, type ReadResult } from './read-result.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const WORD = /true|false|null/y;
/** Text of a string up to its next escape or its end. Sticky, so that each character is read once. */
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const HEX = /[0-9a-fA-F]{4}/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/**
 * Parses strict JSON (RFC 8259) into a document. A leading byte order mark is skipped. Errors, each with line and
 * column: invalid JSON, duplicate keys in an object, unpaired surrogates, and documents above the limits.
 */
export function readJson(text: string, limits: DocumentLimits = DOCUMENT_LIMITS): ReadResult {
  const lines = new LineIndex(text.length > limits.maxCharacters ? '' : text);
  const reader = new JsonReader(text, limits, lines);
  try {
    return { ok: true, document: reader.document() };
  } catch (error) {
    if (error instanceof Unreadable) return error.toResult(reader.pointer());
    throw error;
  }
}

class JsonReader {
  readonly #text: string;
  readonly #limits: DocumentLimits;
  readonly #lines: LineIndex;
  #at = 0;
  #depth = 0;
  #nodes = 0;
  /** Keys and indexes of the value that is being read. */
  readonly #path: (string | number)[] = [];

  constructor(text: string, limits: DocumentLimits, lines: LineIndex) {
    this.#text = text;
    this.#limits = limits;
    this.#lines = lines;
  }

  /** Returns the pointer of the value that is being read: after an error, of the innermost one. */
  pointer(): string {
    return pointerTo(this.#path);
  }

  document(): DocumentNode {
    if (this.#text.length > this.#limits.maxCharacters) {
      throw new Unreadable(`is longer than ${this.#limits.maxCharacters} characters`, { line: 1, column: 1 });
    }
    if (this.#text.startsWith(BYTE_ORDER_MARK)) this.#at = 1;
    this.#skipBlanks();
    const node = this.#value();
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the document');
    return node;
  }

  /** Recursive: the depth is checked before a level is entered. */
  #value(): DocumentNode {
    if (++this.#nodes > this.#limits.maxNodes)
      throw this.#error(`has more than ${this.#limits.maxNodes} nodes`);
    const position = this.#position();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#mapping(position));
      case '[':
        return this.#nested(() => this.#sequence(position));
      case '"':
        return { kind: 'string', value: this.#string(), ...position };
      default:
        return this.#numberOrWord(position);
    }
  }

  #nested(read: () => DocumentNode): DocumentNode {
    if (++this.#depth > this.#limits.maxDepth) {
      throw this.#error(`is nested deeper than ${this.#limits.maxDepth} levels`);
    }
    const node = read();
    this.#depth -= 1;
    return node;
  }

  #mapping(position: Position): DocumentNode {
    const entries: MappingEntry[] = [];
    const keys = new Set<string>();
    this.#at += 1;
    this.#skipBlanks();
    if (this.#take('}')) return { kind: 'mapping', entries, ...position };
    for (;;) {
      const keyAt = this.#position();
      if (this.#text[this.#at] !== '"') throw this.#unexpected('a key in double quotes');
      const key = this.#string();
      this.#path.push(key);
      if (keys.has(key)) throw new Unreadable(`the key ${quoteForMessage(key)} occurs twice`, keyAt);
      keys.add(key);
      this.#skipBlanks();
      if (!this.#take(':')) throw this.#unexpected('":"');
      this.#skipBlanks();
      entries.push({ key, keyAt, value: this.#value() });
      this.#path.pop();
      this.#skipBlanks();
      if (this.#take('}')) return { kind: 'mapping', entries, ...position };
      if (!this.#take(',')) throw this.#unexpected('"," or "}"');
      this.#skipBlanks();
    }
  }

  #sequence(position: Position): DocumentNode {
    const items: DocumentNode[] = [];
    this.#at += 1;
    this.#skipBlanks();
    if (this.#take(']')) return { kind: 'sequence', items, ...position };
    for (;;) {
      this.#path.push(items.length);
      items.push(this.#value());
      this.#path.pop();
      this.#skipBlanks();
      if (this.#take(']')) return { kind: 'sequence', items, ...position };
      if (!this.#take(',')) throw this.#unexpected('"," or "]"');
      this.#skipBlanks();
    }
  }

  #string(): string {
    const position = this.#position();
    const chunks: string[] = [];
    this.#at += 1;
    for (;;) {
      chunks.push(this.#match(PLAIN)?.[0] ?? '');
      const next = this.#text[this.#at];
      if (next === '"') break;
      if (next !== '\\') {
        if (next === undefined) throw new Unreadable('this string has no end', position);
        throw this.#error('a control character in a string must be written as an escape');
      }
      chunks.push(this.#escape());
    }
    this.#at += 1;
    const value = chunks.length === 1 ? (chunks[0] ?? '') : chunks.join('');
    if (LONE_SURROGATE.test(value))
      throw new Unreadable('this string has half of a surrogate pair', position);
    return value;
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    if (letter === 'u') {
      this.#at += 2;
      const hex = this.#match(HEX)?.[0];
      if (hex === undefined) throw this.#unexpected('four hexadecimal digits');
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = ESCAPES.get(letter);
    if (character === undefined) throw this.#error('invalid JSON escape');
    this.#at += 2;
    return character;
  }

  #numberOrWord(position: Position): DocumentNode {
    const number = this.#match(NUMBER);
    if (number !== null) {
      const integer = number[1] === undefined && number[2] === undefined;
      return integer
        ? { kind: 'integer', text: number[0], ...position }
        : { kind: 'float', text: number[0], ...position };
    }
    const word = this.#match(WORD)?.[0];
    if (word === undefined) throw this.#unexpected('a value');
    return word === 'null'
      ? { kind: 'null', ...position }
      : { kind: 'boolean', value: word === 'true', ...position };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #skipBlanks(): void {
    this.#match(BLANK);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #position(): Position {
    return this.#lines.at(this.#at);
  }

  #error(detail: string): Unreadable {
    return new Unreadable(detail, this.#position());
  }

  #unexpected(wanted: string): Unreadable {
    const found =
      this.#at < this.#text.length ? quoteForMessage(this.#text[this.#at] ?? '') : 'the end of the text';
    return this.#error(`is not JSON: ${wanted} is expected, not ${found}`);
  }
}
