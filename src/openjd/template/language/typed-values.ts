import { styleOf, type FileStyle } from '../../expr/paths/parsed-path.ts';
import { RANGE_EXPR, STRING, type ResolvedType } from '../../expr/type-system/expr-type.ts';
import { readValue } from '../../expr/values/read-value.ts';
import { pathOf, type Value } from '../../expr/values/value.ts';
import type { DocumentNode } from '../../primitives/document.ts';
import { rowOf } from '../parameter-types.ts';
import type { ParameterType, TaskParameterType } from '../plan.ts';
import { DOCUMENT_LIMITS } from '../../primitives/document-limits.ts';
import { readJson } from '../read-json.ts';

/**
 * Returns the types of `Task.Param.<name>` and `Task.RawParam.<name>` (specification "Expression Language", section
 * 1.2.2).
 */
export function taskValueTypes(type: TaskParameterType): {
  readonly value: ResolvedType;
  readonly raw: ResolvedType;
} {
  if (type === 'CHUNK[INT]') return { value: RANGE_EXPR, raw: RANGE_EXPR };
  const { valueType, rawType } = rowOf(type);
  return { value: valueType, raw: rawType };
}

/** Returns the types of `Param.<name>` and `RawParam.<name>`. */
export function valueTypes(type: ParameterType): {
  readonly value: ResolvedType;
  readonly raw: ResolvedType;
} {
  const { valueType, rawType } = rowOf(type);
  return { value: valueType, raw: rawType };
}

/**
 * Returns the value of a text: the canonical text of a parameter, or a value as formatted by the expression language (a
 * list is JSON). The text was written from a valid value, so there is no limit: a list or range can have more parts
 * than a submitted one.
 */
export function valueOfText(type: ResolvedType, text: string, style: FileStyle): Value {
  if (type === STRING) return text;
  if (type.kind === 'path') return pathOf(text, styleOf(text, style));
  const read = readValue(type, plainOf(type, text), style, text.length + 1);
  // A bug of this program: the text was written from a value of the type.
  if (!read.ok)
    throw new Error(`${JSON.stringify(text)} is not a value of type ${type.text}: ${read.detail}`);
  return read.value;
}

/** The service's notation for a chunk of consecutive integers. */
const CONTIGUOUS = /^-?[0-9]+--?[0-9]+$/;

/**
 * Returns the value of a chunk: one of consecutive integers keeps its notation as first and last (specification,
 * section 3.4.1.5).
 */
export function chunkOfText(type: ResolvedType, text: string, style: FileStyle): Value {
  const value = valueOfText(type, text, style);
  const isRange = typeof value === 'object' && value?.kind === 'range';
  return isRange && CONTIGUOUS.test(text) ? { ...value, isContiguous: true } : value;
}

function plainOf(type: ResolvedType, text: string): unknown {
  if (type.kind === 'nulltype') return null;
  if (type.kind !== 'list') return text;
  const read = readJson(text, { ...DOCUMENT_LIMITS, maxCharacters: text.length, maxNodes: text.length });
  return read.ok ? plainOfNode(read.document) : undefined;
}

/** Numbers remain texts, so that their notation is kept. */
function plainOfNode(node: DocumentNode): unknown {
  switch (node.kind) {
    case 'sequence':
      return node.items.map(plainOfNode);
    case 'string':
    case 'boolean':
      return node.value;
    case 'integer':
    case 'float':
      return node.text;
    default:
      return null;
  }
}
