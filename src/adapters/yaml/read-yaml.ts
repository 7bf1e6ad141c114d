import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Parser,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml';
import type { DocumentNode, MappingEntry, Position, StringNode } from '../../openjd/primitives/document.ts';
import type { DocumentLimits } from '../../openjd/primitives/document-limits.ts';
import { LineIndex } from '../../openjd/primitives/line-index.ts';
import { Unreadable, type ReadResult } from '../../openjd/template/read-result.ts';
import { quoteForMessage } from '../../openjd/primitives/text-rules.ts';
import { pointerTo } from '../../openjd/primitives/pointed-error.ts';
import { plainScalar } from './plain-scalar.ts';
import { pointerAt } from './pointer-at.ts';
import { scanTokens } from './scan-tokens.ts';
import { BRACES_IN_QUOTES, syntaxErrors } from './syntax-errors.ts';

const BYTE_ORDER_MARK = '\uFEFF';
/** All characters except the printable ones of YAML 1.2 (section 5.1 there). */
const NOT_PRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** Only an escape can produce it: UTF-8 cannot contain it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads one YAML 1.2 document (core schema) into a plain tree. A leading byte order mark is skipped. Errors, each with
 * line and column: invalid syntax, several documents, tags, directives, keys that are duplicate or not text, aliases of
 * themselves, and documents above the limits.
 */
export function readYaml(source: string, limits: DocumentLimits): ReadResult {
  const text = source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source;
  if (text.length > limits.maxCharacters) {
    return refusedAt({ line: 1, column: 1 }, '', `is longer than ${limits.maxCharacters} characters`);
  }
  const lines = new LineIndex(text);
  const odd = NOT_PRINTABLE.exec(text);
  if (odd !== null) {
    const [before] = compose(scanTokens(text.slice(0, odd.index), limits).tokens, odd.index);
    const detail = `contains the character ${codeOf(odd[0])}, which YAML allows only as an escape in double quotes`;
    return refusedAt(lines.at(odd.index), pointerAt(before?.contents, odd.index, text, lines), detail);
  }
  const { tokens, refused } = scanTokens(text, limits);
  if (refused?.isSize === true) return refusedAt(lines.at(refused.offset), '', refused.detail);
  const [document, second] = compose(tokens, text.length);
  if (refused !== null) {
    const pointer = pointerAt(document?.contents, refused.offset, text, lines);
    return refusedAt(lines.at(refused.offset), pointer, refused.detail);
  }
  if (second !== undefined)
    return refusedAt(lines.at(startOf(second)), '', 'has more than one document; remove the line ---');
  if (document === undefined || document.contents === null) {
    return refusedAt({ line: 1, column: 1 }, '', 'is empty');
  }
  if (document.errors.length > 0) return { ok: false, errors: syntaxErrors(document, text, lines) };
  return buildTree(document.contents, limits, lines);
}

const refusedAt = ({ line, column }: Position, pointer: string, detail: string): ReadResult => ({
  ok: false,
  errors: [{ pointer, detail, line, column }],
});

function buildTree(root: Node, limits: DocumentLimits, lines: LineIndex): ReadResult {
  const builder = new TreeBuilder(limits, lines);
  try {
    return { ok: true, document: builder.build(root) };
  } catch (error) {
    if (error instanceof Unreadable) return error.toResult(builder.pointer());
    throw error;
  }
}

function compose(tokens: readonly string[], length: number): Document.Parsed[] {
  const parser = new Parser();
  const composer = new Composer({
    version: '1.2',
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const documents: Document.Parsed[] = [];
  for (const token of tokens) {
    for (const part of parser.next(token)) documents.push(...composer.next(part));
  }
  for (const part of parser.end()) documents.push(...composer.next(part));
  documents.push(...composer.end(false, length));
  return documents;
}

function startOf(document: Document.Parsed): number {
  return document.contents?.range?.[0] ?? document.range[0];
}

interface Built {
  readonly node: DocumentNode;
  /** Number of nodes in the tree, with expanded aliases. */
  readonly nodes: number;
  readonly depth: number;
}

/** Converts the parser's nodes to the plain tree. Recursive: the token limits bound the depth. */
class TreeBuilder {
  readonly #limits: DocumentLimits;
  readonly #lines: LineIndex;
  /** Node of each anchor; null while it is being built. */
  readonly #anchors = new Map<string, Built | null>();
  /** Keys and indexes of the node that is being built. */
  readonly #path: (string | number)[] = [];

  constructor(limits: DocumentLimits, lines: LineIndex) {
    this.#limits = limits;
    this.#lines = lines;
  }

  /** Returns the pointer of the node that is being built: after an error, of the innermost one. */
  pointer(): string {
    return pointerTo(this.#path);
  }

  build(node: Node): DocumentNode {
    return this.#built(node, 1).node;
  }

  #built(node: Node | null, level: number): Built {
    const position = this.#position(node);
    if (isAlias(node)) return this.#aliased(node.source, level, position);
    const anchor = node !== null && 'anchor' in node ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, null);
    const built = this.#plain(node, level, position);
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    return built;
  }

  #aliased(name: string, level: number, position: Position): Built {
    const built = this.#anchors.get(name);
    if (built === undefined)
      throw new Unreadable(
        `there is no anchor ${quoteForMessage(name)} before this alias; put text that begins with * in quotes`,
        position,
      );
    if (built === null) throw new Unreadable(`the alias ${quoteForMessage(name)} refers to itself`, position);
    this.#checkDepth(level - 1 + built.depth, position);
    return built;
  }

  #plain(node: Node | null, level: number, position: Position): Built {
    if (isMap(node)) return this.#mapping(node, level, position);
    if (isSeq(node)) {
      this.#checkDepth(level, position);
      const items: DocumentNode[] = [];
      const size = new Size(this.#limits, position);
      for (const item of node.items) {
        this.#path.push(items.length);
        const built = this.#built(asNode(item), level + 1);
        this.#path.pop();
        size.add(built);
        items.push(built.node);
      }
      return size.of({ kind: 'sequence', items, ...position });
    }
    return { node: this.#scalar(node, position), nodes: 1, depth: 0 };
  }

  #mapping(node: YAMLMap, level: number, position: Position): Built {
    this.#checkDepth(level, position);
    const entries: MappingEntry[] = [];
    const keys = new Set<string>();
    const size = new Size(this.#limits, position);
    for (const pair of node.items) {
      const keyNode = asNode(pair.key);
      const keyAt = this.#position(keyNode);
      const key = this.#built(keyNode, level + 1).node;
      if (key.kind !== 'string') throw new Unreadable(keyWrong(key), keyAt);
      this.#path.push(key.value);
      if (keys.has(key.value))
        throw new Unreadable(`the key ${quoteForMessage(key.value)} occurs twice`, keyAt);
      keys.add(key.value);
      const value = this.#built(asNode(pair.value), level + 1);
      this.#path.pop();
      size.add(value);
      const placed = pair.value === null ? { ...value.node, ...keyAt } : value.node;
      entries.push({ key: key.value, keyAt, value: placed });
    }
    return size.of({ kind: 'mapping', entries, ...position });
  }

  #scalar(node: Node | null, position: Position): DocumentNode {
    if (!isScalar(node)) return { kind: 'null', ...position };
    if (node.type === 'PLAIN') return plainScalar(node.source ?? '', position);
    const value = String(node.value);
    if (LONE_SURROGATE.test(value))
      throw new Unreadable('this string has half of a surrogate pair', position);
    if (node.type !== 'BLOCK_LITERAL') return { kind: 'string', value, ...position };
    return { kind: 'string', value, ...position, ...this.#blockOf(value, position) };
  }

  /** Returns the place of the content of a block scalar: below its header, with the indentation of its first line that is not empty. */
  #blockOf(value: string, { line: header }: Position): Partial<Pick<StringNode, 'block'>> {
    const lines = value.split('\n');
    const first = lines.findIndex((each) => each !== '');
    const source = this.#lines.line(header + 1 + first);
    if (first === -1 || source === undefined) return {};
    return { block: { line: header + 1, indent: source.length - (lines[first] ?? '').length } };
  }

  #checkDepth(depth: number, position: Position): void {
    if (depth > this.#limits.maxDepth) {
      throw new Unreadable(`is nested deeper than ${this.#limits.maxDepth} levels`, position);
    }
  }

  #position(node: Node | null): Position {
    return this.#lines.at(node?.range?.[0] ?? 0);
  }
}

/** A value such as `{{Param.Name}}` without quotes is a mapping whose key is a mapping. */
const keyWrong = (key: DocumentNode): string =>
  key.kind === 'mapping' ? BRACES_IN_QUOTES : 'a key must be text; put it in quotes';

/** Adds up the size of a collection. */
class Size {
  readonly #limits: DocumentLimits;
  readonly #position: Position;
  #nodes = 1;
  #depth = 0;

  constructor(limits: DocumentLimits, position: Position) {
    this.#limits = limits;
    this.#position = position;
  }

  add(part: Built): void {
    this.#nodes += part.nodes;
    this.#depth = Math.max(this.#depth, part.depth);
    if (this.#nodes > this.#limits.maxNodes) {
      throw new Unreadable(
        `has more than ${this.#limits.maxNodes} nodes when aliases are followed`,
        this.#position,
      );
    }
  }

  of(node: DocumentNode): Built {
    return { node, nodes: this.#nodes, depth: this.#depth + 1 };
  }
}

/** Parsed collections contain nodes or null; anything else is a bug of the parser. */
function asNode(value: unknown): Node | null {
  if (value === null || value === undefined) return null;
  if (isAlias(value) || isMap(value) || isSeq(value) || isScalar(value)) return value;
  throw new Error('the YAML parser gave something that is not a node');
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
