import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import { lineAndColumn, type DocumentReading, type LineError, type PlainNode } from './plain-tree.ts';

/** Later errors are mostly consequences of the first ones. */
const MAX_ERRORS = 10;
/** Limit for documents that multiply through aliases. */
const MAX_NODES = 200_000;

const NULL: PlainNode = { kind: 'null' };

/**
 * Parses a template as YAML 1.2, and detects JSON. Reports only syntax errors; the server reports all others. Import this
 * module dynamically, because it contains the parser.
 */
export function readDocument(text: string): DocumentReading {
  const source = text.replace(/^\uFEFF/, '');
  const json = jsonProblem(source);
  try {
    const document = parseDocument(source, {
      version: '1.2',
      schema: 'core',
      intAsBigInt: true,
      prettyErrors: false,
      logLevel: 'silent',
    });
    if (document.errors.length > 0) {
      const errors = json?.error === undefined ? yamlErrors(source, document) : [json.error];
      return { ok: false, errors };
    }
    const root = new PlainTreeBuilder(document).build(document.contents);
    return { ok: true, format: json === null ? 'json' : 'yaml', root };
  } catch (error) {
    // The document has too many levels, or too many nodes through aliases.
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, errors: [{ line: 1, column: 1, detail: `Could not read the template: ${detail}` }] };
  }
}

function yamlErrors(source: string, document: Document.Parsed): readonly LineError[] {
  return document.errors
    .slice(0, MAX_ERRORS)
    .map((error) => ({ ...lineAndColumn(source, error.pos[0]), detail: `Invalid YAML: ${error.message}` }));
}

/** Returns null for JSON. Else the error is set if the text starts like JSON and the browser reports a position. */
function jsonProblem(source: string): { readonly error?: LineError } | null {
  if (!source.trimStart().startsWith('{')) return {};
  try {
    JSON.parse(source);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = jsonPosition(source, message);
    return position === null ? {} : { error: { ...position, detail: `Invalid JSON: ${reasonIn(message)}` } };
  }
}

/** Parses the position in an error message; each browser has its own format. */
function jsonPosition(source: string, message: string): { line: number; column: number } | null {
  const lined = /line (\d+) column (\d+)/.exec(message);
  if (lined !== null) return { line: Number(lined[1]), column: Number(lined[2]) };
  const at = /position (\d+)/.exec(message);
  if (at !== null) return lineAndColumn(source, Number(at[1]));
  return /end of (JSON|data)/i.test(message) ? lineAndColumn(source, source.length) : null;
}

const reasonIn = (message: string): string =>
  message.replace(/^JSON\.parse: /, '').replace(/ (in JSON )?(at position|at line) .*$/, '');

/** Converts nodes of the parser to a plain tree and resolves aliases. */
class PlainTreeBuilder {
  readonly #document: Document.Parsed;
  #nodes = 0;

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  build(node: Node | null | undefined): PlainNode {
    if (++this.#nodes > MAX_NODES) throw new Error(`it has more than ${MAX_NODES} nodes`);
    if (node === null || node === undefined) return NULL;
    if (isAlias(node)) return this.build(node.resolve(this.#document));
    if (isSeq<Node>(node)) return { kind: 'list', items: node.items.map((item) => this.build(item)) };
    if (isMap<Node, Node>(node)) {
      const members = node.items.map(({ key, value }): [string, PlainNode] => [
        isScalar(key) ? String(key.value) : '',
        this.build(value),
      ]);
      return { kind: 'map', members: new Map(members) };
    }
    return isScalar(node) ? scalar(node.value, node.source) : NULL;
  }
}

function scalar(value: unknown, source: string | undefined): PlainNode {
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (typeof value === 'bigint') return { kind: 'number', text: `${value}` };
  return typeof value === 'number' ? { kind: 'number', text: source ?? String(value) } : NULL;
}
