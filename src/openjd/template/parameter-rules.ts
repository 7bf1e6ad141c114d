import { nodeKindName, type DocumentNode } from '../primitives/document.ts';
import { rowOf, type SingleRow } from './parameter-types.ts';
import type { ParameterType } from './plan.ts';
import { readJson } from './read-json.ts';
import type { TemplateLimits } from './template-limits.ts';
import { characters, quoteForMessage } from '../primitives/text-rules.ts';

/** Constraints on the value of a job parameter, or on its elements (specification, sections 2.1 to 2.16). */
export interface ParameterRules {
  readonly type: ParameterType;
  /** Of a text in characters, of a list in elements. */
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly minValue: Bound | null;
  readonly maxValue: Bound | null;
  /** Canonical texts. */
  readonly allowed: readonly string[] | null;
  /** Constraints on each element of a list; null if there are none. */
  readonly item: ParameterRules | null;
}

/** A limit and its original text. */
export interface Bound {
  /** bigint for integers. */
  readonly value: bigint | number;
  readonly text: string;
}

/** An error in a value, or in an element of it: `path` contains its indexes. */
export interface ValueProblem {
  readonly path: readonly number[];
  readonly detail: string;
}

type CheckedValue =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problems: readonly ValueProblem[] };

/** Maximum number of reported problems per value. */
const MAX_PROBLEMS = 20;

/** Returns the node of a submitted text: a list is written as JSON, everything else is text. */
export function submittedNode(
  type: ParameterType,
  text: string,
): { readonly ok: true; readonly node: DocumentNode } | { readonly ok: false; readonly detail: string } {
  if (rowOf(type).element === null)
    return { ok: true, node: { kind: 'string', value: text, line: 1, column: 1 } };
  const read = readJson(text);
  if (read.ok) return { ok: true, node: read.document };
  const [error] = read.errors;
  return {
    ok: false,
    detail: `${quoteForMessage(text)} is not a valid JSON list: column ${error?.column ?? 1} ${error?.detail ?? ''}`,
  };
}

/**
 * Returns the canonical text of a value: integers in plain decimal, `true` and `false`, a list as JSON, everything else
 * as given. Problems: values that are not valid for the type, and violated rules.
 */
export function checkValue(rules: ParameterRules, node: DocumentNode, limits: TemplateLimits): CheckedValue {
  const problems: ValueProblem[] = [];
  const text = checkAt(rules, node, limits, [], problems);
  return problems.length === 0 ? { ok: true, text } : { ok: false, problems };
}

/** Recursive: types nest at most twice. Returns '' for reported values. */
function checkAt(
  rules: ParameterRules,
  node: DocumentNode,
  limits: TemplateLimits,
  path: readonly number[],
  problems: ValueProblem[],
): string {
  const row = rowOf(rules.type);
  const refuse = (detail: string): '' => {
    if (problems.length < MAX_PROBLEMS) problems.push({ path, detail });
    return '';
  };
  if (row.element === null) {
    const read = row.read(node, limits.maxRangeParts);
    if (!read.ok) return refuse(read.detail);
    const broken = ruleBroken(rules, row, read.text, limits);
    return broken === null ? read.text : refuse(broken);
  }
  if (node.kind !== 'sequence') return refuse(`must be a list, not ${nodeKindName(node)}`);
  const broken = lengthBroken(rules, node.items.length);
  if (broken !== null) refuse(`the list ${broken}`);
  const item = rules.item ?? noRules(row.element);
  const texts = node.items.map((element, index) => {
    const text = checkAt(item, element, limits, [...path, index], problems);
    return jsonOf(row.element, text);
  });
  return `[${texts.join(', ')}]`;
}

/** Returns the rules of a type without constraints. */
export function noRules(type: ParameterType): ParameterRules {
  const { element } = rowOf(type);
  return {
    type,
    minLength: null,
    maxLength: null,
    minValue: null,
    maxValue: null,
    allowed: null,
    item: element === null ? null : noRules(element),
  };
}

/** Returns a canonical text as an element of a JSON list. */
export function jsonOf(type: ParameterType, text: string): string {
  const row = rowOf(type);
  return row.element === null ? row.json(text) : text;
}

/** Returns why the canonical text of a single value violates a rule, or null. */
function ruleBroken(
  rules: ParameterRules,
  row: SingleRow,
  text: string,
  limits: TemplateLimits,
): string | null {
  return row.compares === 'text'
    ? textBroken(rules, row, text, limits)
    : numberBroken(rules, row.compares === 'integer' ? BigInt : Number, text);
}

function textBroken(
  rules: ParameterRules,
  row: SingleRow,
  text: string,
  { maxParameterValue }: TemplateLimits,
): string | null {
  const length = characters(text);
  // For a RANGE_EXPR this is the default of maxLength (section 2.10); for the others it is an upper bound (section
  // 2.5).
  if (length > maxParameterValue && (row.type !== 'RANGE_EXPR' || rules.maxLength === null)) {
    return `must not have more than ${maxParameterValue} characters, and has ${length}`;
  }
  if (rules.minLength !== null && length < rules.minLength) {
    return `${quoteForMessage(text)} is shorter than minLength ${rules.minLength}`;
  }
  if (rules.maxLength !== null && length > rules.maxLength) {
    return `${quoteForMessage(text)} is longer than maxLength ${rules.maxLength}`;
  }
  return rules.allowed?.includes(text) === false ? notAllowed(text) : null;
}

function numberBroken(
  rules: ParameterRules,
  read: (text: string) => bigint | number,
  text: string,
): string | null {
  const value = read(text);
  if (rules.minValue !== null && value < rules.minValue.value) {
    return `${text} is less than minValue ${rules.minValue.text}`;
  }
  if (rules.maxValue !== null && value > rules.maxValue.value) {
    return `${text} is greater than maxValue ${rules.maxValue.text}`;
  }
  return rules.allowed?.some((allowed) => read(allowed) === value) === false ? notAllowed(text) : null;
}

const notAllowed = (text: string): string => `${quoteForMessage(text)} is not one of the allowedValues`;

function lengthBroken({ minLength, maxLength }: ParameterRules, length: number): string | null {
  if (minLength !== null && length < minLength)
    return `has ${length} elements, fewer than minLength ${minLength}`;
  if (maxLength !== null && length > maxLength)
    return `has ${length} elements, more than maxLength ${maxLength}`;
  return null;
}
