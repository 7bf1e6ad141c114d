import {
  BOOL,
  FLOAT,
  INT,
  listType,
  PATH,
  RANGE_EXPR,
  STRING,
  type ResolvedType,
} from '../expr/type-system/expr-type.ts';
import { jsonOfFloat } from '../expr/values/float-text.ts';
import { nodeKindName, type DocumentNode } from '../primitives/document.ts';
import { decimalOf, integerOf } from '../primitives/numbers.ts';
import type { ParameterType } from './plan.ts';
import { parseRange } from '../primitives/range-expression.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

/** A rule that a definition or its `item` can hold. */
export type ConstraintKey = 'allowedValues' | 'minLength' | 'maxLength' | 'minValue' | 'maxValue' | 'item';

export type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string };

/**
 * Properties of a type of job parameters (specification, sections 2.1 to 2.16). Everything that depends on the type is
 * defined here.
 */
export type ParameterTypeRow = SingleRow | ListRow;

interface CommonRow {
  readonly type: ParameterType;
  readonly needsExpr: boolean;
  /** Type of `Param.<name>` in an expression (specification "Expression Language", section 1.2.2). */
  readonly valueType: ResolvedType;
  /** Type of `RawParam.<name>`: an unmapped path is text. */
  readonly rawType: ResolvedType;
  /** Set if its values are mapped to the worker, and the definition declares their data flow. */
  readonly isPath: boolean;
  readonly constraints: readonly ConstraintKey[];
  /**
   * The first is the default, except for paths (by `objectType` and `dataFlow`: input file, output file, directory) and
   * with allowed values.
   */
  readonly controls: readonly string[];
  /** Keys of `userInterface` in addition to control, label and groupLabel. */
  readonly settings: readonly string[];
}

/** A type of single values. */
export interface SingleRow extends CommonRow {
  readonly element: null;
  /** Comparison with `minValue`, `maxValue` and `allowedValues`. */
  readonly compares: 'text' | 'integer' | 'number';
  /** Formats a canonical text as an element of a JSON list. */
  readonly json: (text: string) => string;
  /** Returns the canonical text of a value in a template, in JSON, or submitted, which is a string node. */
  readonly read: (node: DocumentNode, maxRangeParts: number) => ReadText;
}

export interface ListRow extends CommonRow {
  /** Type of the elements, whose constraints are the keys of `item`. */
  readonly element: ParameterType;
}

export const TRUE_WORDS: readonly string[] = ['true', 'yes', 'on', '1'];
export const FALSE_WORDS: readonly string[] = ['false', 'no', 'off', '0'];

const LENGTHS = ['minLength', 'maxLength'] as const;
const FILTERS: readonly string[] = ['fileFilters', 'fileFilterDefault'];

const quoted = (text: string): string => JSON.stringify(text);
const bare = (text: string): string => text;

const refused = (detail: string): ReadText => ({ ok: false, detail });

const readString = (node: DocumentNode): ReadText =>
  node.kind === 'string' ? { ok: true, text: node.value } : refused('must be text; put it in quotes');

function readInteger(node: DocumentNode): ReadText {
  const value = integerOf(node);
  if (typeof value === 'bigint') return { ok: true, text: `${value}` };
  if (node.kind !== 'string') return refused(value);
  return refused(
    value.startsWith('must')
      ? `${quoteForMessage(node.value)} is not an integer`
      : `${quoteForMessage(node.value)} ${value}`,
  );
}

function readDecimal(node: DocumentNode): ReadText {
  const value = decimalOf(node);
  if (typeof value !== 'string') return { ok: true, text: value.text };
  return refused(
    node.kind === 'string' ? `${quoteForMessage(node.value)} is not a finite decimal number` : value,
  );
}

/** Section 2.9. As a number it is 1 or 0, in any notation; as text it is one of the words. */
function readBool(node: DocumentNode): ReadText {
  let value: boolean | undefined;
  if (node.kind === 'boolean') ({ value } = node);
  else if (node.kind === 'string') {
    const word = node.value.toLowerCase();
    if (TRUE_WORDS.includes(word)) value = true;
    else if (FALSE_WORDS.includes(word)) value = false;
  } else {
    const number = decimalOf(node);
    if (typeof number !== 'string' && number.value === 1) value = true;
    if (typeof number !== 'string' && number.value === 0) value = false;
  }
  if (value !== undefined) return { ok: true, text: value ? 'true' : 'false' };
  const words = TRUE_WORDS.map((word, index) => `${word}/${FALSE_WORDS[index] ?? ''}`).join(', ');
  if (node.kind === 'string')
    return refused(`${quoteForMessage(node.value)} is not a valid bool: write ${words}`);
  return refused(`must be true or false, not ${nodeKindName(node)}`);
}

/** Section 2.10. The text stays as given: the constraints apply to its length. */
function readRange(node: DocumentNode, maxParts: number): ReadText {
  if (node.kind !== 'string') return readString(node);
  const parsed = parseRange(node.value, maxParts);
  if (parsed.ok) return { ok: true, text: node.value };
  return refused(`${quoteForMessage(node.value)} is not a valid range expression: ${parsed.detail}`);
}

const ROWS: readonly ParameterTypeRow[] = [
  {
    type: 'STRING',
    needsExpr: false,
    valueType: STRING,
    rawType: STRING,
    element: null,
    isPath: false,
    constraints: ['allowedValues', ...LENGTHS],
    controls: ['LINE_EDIT', 'MULTILINE_EDIT', 'DROPDOWN_LIST', 'CHECK_BOX', 'HIDDEN'],
    settings: [],
    compares: 'text',
    json: quoted,
    read: readString,
  },
  {
    type: 'PATH',
    needsExpr: false,
    valueType: PATH,
    rawType: STRING,
    element: null,
    isPath: true,
    constraints: ['allowedValues', ...LENGTHS],
    controls: ['CHOOSE_INPUT_FILE', 'CHOOSE_OUTPUT_FILE', 'CHOOSE_DIRECTORY', 'DROPDOWN_LIST', 'HIDDEN'],
    settings: FILTERS,
    compares: 'text',
    json: quoted,
    read: readString,
  },
  {
    type: 'INT',
    needsExpr: false,
    valueType: INT,
    rawType: INT,
    element: null,
    isPath: false,
    constraints: ['allowedValues', 'minValue', 'maxValue'],
    controls: ['SPIN_BOX', 'DROPDOWN_LIST', 'HIDDEN'],
    settings: ['singleStepDelta'],
    compares: 'integer',
    json: bare,
    read: readInteger,
  },
  {
    type: 'FLOAT',
    needsExpr: false,
    valueType: FLOAT,
    rawType: FLOAT,
    element: null,
    isPath: false,
    constraints: ['allowedValues', 'minValue', 'maxValue'],
    controls: ['SPIN_BOX', 'DROPDOWN_LIST', 'HIDDEN'],
    settings: ['decimals', 'singleStepDelta'],
    compares: 'number',
    json: (text) => jsonOfFloat({ kind: 'float', value: Number(text), text }),
    read: readDecimal,
  },
  {
    type: 'BOOL',
    needsExpr: true,
    valueType: BOOL,
    rawType: BOOL,
    element: null,
    isPath: false,
    constraints: [],
    controls: ['CHECK_BOX', 'HIDDEN'],
    settings: [],
    compares: 'text',
    json: bare,
    read: readBool,
  },
  {
    type: 'RANGE_EXPR',
    needsExpr: true,
    valueType: RANGE_EXPR,
    rawType: RANGE_EXPR,
    element: null,
    isPath: false,
    constraints: LENGTHS,
    controls: ['LINE_EDIT', 'HIDDEN'],
    settings: [],
    compares: 'text',
    json: quoted,
    read: readRange,
  },
  listRow('LIST[STRING]', 'STRING', STRING, ['LINE_EDIT_LIST']),
  listRow('LIST[PATH]', 'PATH', PATH, [
    'CHOOSE_INPUT_FILE_LIST',
    'CHOOSE_OUTPUT_FILE_LIST',
    'CHOOSE_DIRECTORY_LIST',
  ]),
  listRow('LIST[INT]', 'INT', INT, ['SPIN_BOX_LIST'], ['singleStepDelta']),
  listRow('LIST[FLOAT]', 'FLOAT', FLOAT, ['SPIN_BOX_LIST'], ['decimals', 'singleStepDelta']),
  listRow('LIST[BOOL]', 'BOOL', BOOL, ['CHECK_BOX_LIST']),
  listRow('LIST[LIST[INT]]', 'LIST[INT]', listType(INT), []),
];

/** `item` exists only for lists whose elements can have rules. */
function listRow(
  type: ParameterType,
  element: ParameterType,
  elementType: ResolvedType,
  controls: readonly string[],
  settings: readonly string[] = element === 'PATH' ? FILTERS : [],
): ListRow {
  return {
    type,
    needsExpr: true,
    valueType: listType(elementType),
    rawType: listType(element === 'PATH' ? STRING : elementType),
    element,
    isPath: element === 'PATH',
    constraints: element === 'BOOL' ? LENGTHS : [...LENGTHS, 'item'],
    controls: [...controls, 'HIDDEN'],
    settings,
  };
}

const BY_TYPE: ReadonlyMap<string, ParameterTypeRow> = new Map(ROWS.map((row) => [row.type, row]));

/** Returns the properties of a type. */
export function rowOf(type: ParameterType): ParameterTypeRow {
  const row = BY_TYPE.get(type);
  // A bug of this program: the table has every type.
  if (row === undefined) throw new Error(`there is no parameter type ${type}`);
  return row;
}

/** Returns the type of a name in upper case, or undefined. */
export const typeNamed = (name: string): ParameterTypeRow | undefined => BY_TYPE.get(name);

/** Returns the names of the types, in the order of the specification. */
export const typeNames = (withExpr: boolean): readonly ParameterType[] =>
  ROWS.filter((row) => withExpr || !row.needsExpr).map(({ type }) => type);
