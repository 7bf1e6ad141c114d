import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import type { ExprContext } from '../../src/openjd/expr/evaluate/evaluate.ts';
import { LOCAL_EXPR_LIMITS, type ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import type { FileStyle } from '../../src/openjd/expr/paths/parsed-path.ts';
import { FLOAT, type ExprType } from '../../src/openjd/expr/type-system/expr-type.ts';
import { parseType } from '../../src/openjd/expr/type-system/type-text.ts';
import { readValue } from '../../src/openjd/expr/values/read-value.ts';
import type { Value } from '../../src/openjd/expr/values/value.ts';
import type { DocumentNode, MappingEntry } from '../../src/openjd/primitives/document.ts';
import { pathMapper, type PathMappingRule } from '../../src/openjd/template/path-mapping.ts';
import { memberOf } from './member-of.ts';

/** Modes of a request: whether `expr` is an expression or a format string, and what is returned. */
export const EVAL_MODES = [
  'evaluate',
  'parse',
  'format',
  'format_value',
  'format_parse',
  'format_check',
] as const;

export type EvalMode = (typeof EVAL_MODES)[number];

/** A request line of `openjd eval --jsonl` (docs/contract/commands.md#json-lines). */
export interface EvalRequest {
  readonly expr: string;
  readonly mode: EvalMode;
  readonly symbols: ReadonlyMap<string, Value>;
  readonly target: ExprType | null;
  readonly context: ExprContext;
}

/** An error in a request. */
export class RequestFault extends Error {}

const regex = createRe2Engine();

/** Returns the context in which these commands evaluate expressions. */
export function contextOf(
  pathStyle: FileStyle,
  host: 'none' | 'unresolved' | readonly PathMappingRule[],
  limits: ExprLimits = LOCAL_EXPR_LIMITS,
): ExprContext {
  if (typeof host === 'string') return { limits, pathStyle, regex, host: { kind: host } };
  const mapPath = pathMapper(host, pathStyle === 'windows' ? 'WINDOWS' : 'POSIX');
  return { limits, pathStyle, regex, host: { kind: 'known', mapPath } };
}

/** Parses a request line. Throws RequestFault. */
export function readEvalRequest(line: DocumentNode): EvalRequest {
  const expr = memberOf(line, 'expr');
  if (expr?.kind !== 'string') throw new RequestFault('the line has no string "expr"');
  const style = fileStyle(memberOf(line, 'path_format'), 'path_format') ?? 'posix';
  const target = memberOf(line, 'target_type');
  return {
    expr: expr.value,
    mode: modeOf(memberOf(line, 'mode')),
    symbols: new Map(
      entriesOf(memberOf(line, 'symbols'), 'symbols').map(({ key, value }) => [
        key,
        symbolOf(key, value, style),
      ]),
    ),
    target: target === undefined || target.kind === 'null' ? null : typeOfNode(target, 'target_type'),
    context: contextOf(style, hostOf(memberOf(line, 'host')), limitsOf(memberOf(line, 'limits'))),
  };
}

function modeOf(node: DocumentNode | undefined): EvalMode {
  if (node === undefined || node.kind === 'null') return 'evaluate';
  const mode = EVAL_MODES.find((known) => node.kind === 'string' && node.value === known);
  if (mode === undefined) throw new RequestFault(`"mode" must be one of ${EVAL_MODES.join(', ')}`);
  return mode;
}

function symbolOf(name: string, node: DocumentNode, style: FileStyle): Value {
  const where = `symbols.${name}`;
  const type = typeOfNode(memberOf(node, 'type'), `${where}.type`);
  const own = fileStyle(memberOf(node, 'path_format'), `${where}.path_format`) ?? style;
  // The source text of a number, in case JSON has lost precision.
  const text = memberOf(node, 'text');
  const value = text?.kind === 'string' && type === FLOAT ? text : memberOf(node, 'value');
  const read = readValue(type, value === undefined ? null : jsonOf(value), own);
  if (!read.ok) throw new RequestFault(`"${where}": ${read.detail}`);
  return read.value;
}

/** Returns the path style, or null if none is given. `uri` is accepted: URI values are recognized by their form. */
function fileStyle(node: DocumentNode | undefined, where: string): FileStyle | null {
  if (node === undefined || node.kind === 'null') return null;
  const name = node.kind === 'string' ? node.value.toLowerCase() : '';
  if (name === 'posix' || name === 'windows') return name;
  if (name === 'uri') return 'posix';
  throw new RequestFault(`"${where}" must be posix, windows or uri`);
}

function typeOfNode(node: DocumentNode | undefined, where: string): ExprType {
  const type = node?.kind === 'string' ? parseType(node.value) : null;
  if (type === null) throw new RequestFault(`"${where}" is not a valid type`);
  return type;
}

function hostOf(node: DocumentNode | undefined): 'none' | 'unresolved' | readonly PathMappingRule[] {
  if (node === undefined || node.kind === 'null') return 'none';
  const kind = textOf(memberOf(node, 'kind'), 'host.kind');
  if (kind === 'none' || kind === 'unresolved') return kind;
  if (kind !== 'rules') throw new RequestFault('"host.kind" must be none, unresolved or rules');
  const rules = memberOf(node, 'rules');
  if (rules?.kind !== 'sequence') throw new RequestFault('"host.rules" must be a list');
  return rules.items.map((rule, index) => {
    const where = `host.rules[${index}]`;
    const format = textOf(memberOf(rule, 'source_path_format'), `${where}.source_path_format`).toUpperCase();
    if (format !== 'POSIX' && format !== 'WINDOWS' && format !== 'URI') {
      throw new RequestFault(`"${where}.source_path_format" must be posix, windows or uri`);
    }
    return {
      sourceFormat: format,
      source: textOf(memberOf(rule, 'source_path'), `${where}.source_path`),
      destination: textOf(memberOf(rule, 'destination_path'), `${where}.destination_path`),
    };
  });
}

function limitsOf(node: DocumentNode | undefined): ExprLimits {
  if (node === undefined || node.kind === 'null') return LOCAL_EXPR_LIMITS;
  const given = (key: keyof ExprLimits): number => {
    const limit = memberOf(node, key);
    if (limit === undefined || limit.kind === 'null') return LOCAL_EXPR_LIMITS[key];
    const value = limit.kind === 'integer' ? Number(limit.text) : -1;
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RequestFault(`"limits.${key}" must be a whole number from 0`);
    return value;
  };
  return { memory: given('memory'), operations: given('operations') };
}

function entriesOf(node: DocumentNode | undefined, where: string): readonly MappingEntry[] {
  if (node === undefined || node.kind === 'null') return [];
  if (node.kind !== 'mapping') throw new RequestFault(`"${where}" must be a mapping`);
  return node.entries;
}

function textOf(node: DocumentNode | undefined, where: string): string {
  if (node?.kind !== 'string') throw new RequestFault(`"${where}" must be a string`);
  return node.value;
}

/** Converts a node to the value of JSON.parse. Floats, and integers beyond the safe range, keep their source text. */
export function jsonOf(node: DocumentNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'boolean':
    case 'string':
      return node.value;
    case 'integer':
      return Number.isSafeInteger(Number(node.text)) ? Number(node.text) : node.text;
    case 'float':
      return node.text;
    case 'sequence':
      return node.items.map(jsonOf);
    case 'mapping':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, jsonOf(value)]));
  }
}
