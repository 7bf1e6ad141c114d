import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import { nodeKindName, type DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { EXIT, PaintedError } from '../terminal/exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readTextFile } from '../terminal/text-file.ts';

/**
 * Reads values of job parameters by name from a YAML or JSON file; `-` is standard input. A list becomes JSON, a number
 * keeps its digits. Throws a CommandError with the line of each value that cannot be sent.
 */
export async function readParameterFile(
  path: string,
  terminal: Terminal,
): Promise<ReadonlyMap<string, string>> {
  const file = await readTextFile(path, 'parameter file');
  const read = readDocument(file.text, 'yaml');
  const result = read.ok ? valuesOf(read.document) : read.errors;
  if (result instanceof Map) return result;
  throw new PaintedError(EXIT.usage, findingsText(file, result, terminal.errorColors));
}

function valuesOf(document: DocumentNode): Map<string, string> | readonly PointedError[] {
  if (document.kind !== 'mapping')
    return [errorAt('', document, 'must be a mapping of parameter names to values')];
  const values = new Map<string, string>();
  const errors: PointedError[] = [];
  for (const { key, value } of document.entries) {
    const text = parameterText(value);
    if (text !== null) values.set(key, text);
    else errors.push(errorAt(`/${key}`, value, `${PARAMETER_RULE}, and is ${nodeKindName(value)}`));
  }
  return errors.length > 0 ? errors : values;
}

export const PARAMETER_RULE = 'must be text, a number, a boolean or a list';

/** Returns the value of a job parameter as the REST API takes it: a list as JSON; null if it cannot be a value. */
export const parameterText = (node: DocumentNode): string | null =>
  node.kind === 'sequence' ? jsonOf(node) : textOf(node);

function textOf(node: DocumentNode): string | null {
  switch (node.kind) {
    case 'string':
      return node.value;
    case 'integer':
    case 'float':
      return node.text;
    case 'boolean':
      return String(node.value);
    case 'mapping':
    case 'sequence':
    case 'null':
      return null;
  }
}

/** Returns a list as JSON; null if it holds something that no list of a job parameter holds. */
function jsonOf(node: DocumentNode): string | null {
  if (node.kind === 'string') return JSON.stringify(node.value);
  if (node.kind !== 'sequence') return textOf(node);
  const items = node.items.map(jsonOf);
  return items.includes(null) ? null : `[${items.join(',')}]`;
}

/** Returns an error at a node of a file. */
export const errorAt = (pointer: string, { line, column }: DocumentNode, detail: string): PointedError => ({
  pointer,
  detail,
  line,
  column,
});
