import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import { lineAndColumn, type DocumentReading, type LineError, type PlainNode } from './plain-tree.ts';

/** What follows the first errors is mostly their consequence. */
const ERRORS_MAX = 10;
/** Aliases may multiply a document: a form needs no more than this. */
const NODES_MAX = 200_000;

const NULL: PlainNode = { kind: 'null' };

/**
 * Reads a template as YAML 1.2 or, when it is that as well, as JSON. Tells syntax alone; the service says the rest. This module brings the
 * parser with it: load it when there is a text.
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
    const root = new Plainer(document).plain(document.contents);
    return { ok: true, format: json === null ? 'json' : 'yaml', root };
  } catch (error) {
    // A document that nests too deep, or multiplies itself by aliases.
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, errors: [{ line: 1, column: 1, detail: `cannot be read: ${detail}` }] };
  }
}

function yamlErrors(source: string, document: Document.Parsed): readonly LineError[] {
  return document.errors
    .slice(0, ERRORS_MAX)
    .map((error) => ({ ...lineAndColumn(source, error.pos[0]), detail: `is not YAML: ${error.message}` }));
}

/** Null when the text is JSON; with the error when it is meant as JSON, and the browser says where it goes wrong. */
function jsonProblem(source: string): { readonly error?: LineError } | null {
  if (!source.trimStart().startsWith('{')) return {};
  try {
    JSON.parse(source);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const place = jsonPlace(source, message);
    return place === null ? {} : { error: { ...place, detail: `is not JSON: ${reasonIn(message)}` } };
  }
}

/** The engines of browsers say the place each in its own way. */
function jsonPlace(source: string, message: string): { line: number; column: number } | null {
  const lined = /line (\d+) column (\d+)/.exec(message);
  if (lined !== null) return { line: Number(lined[1]), column: Number(lined[2]) };
  const at = /position (\d+)/.exec(message);
  if (at !== null) return lineAndColumn(source, Number(at[1]));
  return /end of (JSON|data)/i.test(message) ? lineAndColumn(source, source.length) : null;
}

const reasonIn = (message: string): string =>
  message.replace(/^JSON\.parse: /, '').replace(/ (in JSON )?(at position|at line) .*$/, '');

/** Makes the plain tree of the parser's nodes, aliases followed. */
class Plainer {
  readonly #document: Document.Parsed;
  #nodes = 0;

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  plain(node: Node | null | undefined): PlainNode {
    if (++this.#nodes > NODES_MAX) throw new Error(`has more than ${NODES_MAX} nodes`);
    if (node === null || node === undefined) return NULL;
    if (isAlias(node)) return this.plain(node.resolve(this.#document));
    if (isSeq<Node>(node)) return { kind: 'list', items: node.items.map((item) => this.plain(item)) };
    if (isMap<Node, Node>(node)) {
      const members = node.items.map(({ key, value }): [string, PlainNode] => [
        isScalar(key) ? String(key.value) : '',
        this.plain(value),
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
