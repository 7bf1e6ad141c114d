import type { Findings } from '../findings.ts';
import { itemOf, type Located } from '../located.ts';
import { decimalOf, integerOf } from '../../primitives/numbers.ts';
import { checkValue, noRules, type Bound, type ParameterRules } from '../parameter-rules.ts';
import { rowOf, type ParameterTypeRow } from '../parameter-types.ts';
import type { ParameterType } from '../plan.ts';
import type { ConstraintsShape, ParameterShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkUserInterface } from './04-user-interface.ts';

/** The valid parts of a job parameter's definition. */
export interface CheckedParameter {
  readonly shape: ParameterShape;
  readonly rules: ParameterRules;
  /** The default as a canonical value, or null. */
  readonly default: string | null;
}

/**
 * Pass 4: job parameters (sections 2.1 to 2.16): the constraints against each other, the default and the allowed values
 * against the constraints, and the user interface. Returns the definitions for checking submitted values.
 */
export function checkParameters(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
): CheckedParameter[] {
  return template.parameters.flatMap((shape) => {
    if (shape.type === undefined) return [];
    const rules = rulesOf(findings, shape, shape.type, limits);
    const value = shape.default === undefined ? null : valueOf(findings, shape.default, rules, limits);
    checkUserInterface(findings, shape, rowOf(shape.type), limits);
    return { shape, rules, default: value };
  });
}

/** Recursive: types nest at most twice. */
function rulesOf(
  findings: Findings,
  shape: ConstraintsShape,
  type: ParameterType,
  limits: TemplateLimits,
): ParameterRules {
  const row = rowOf(type);
  const minLength = lengthOf(findings, shape.minLength, row, 'minLength');
  const maxLength = lengthOf(findings, shape.maxLength, row, 'maxLength');
  if (minLength !== null && maxLength !== null && minLength > maxLength && shape.minLength !== undefined) {
    findings.add(shape.minLength, `minLength ${minLength} is greater than maxLength ${maxLength}`);
  }
  const minValue = boundOf(findings, shape.minValue, row);
  const maxValue = boundOf(findings, shape.maxValue, row);
  if (
    minValue !== null &&
    maxValue !== null &&
    minValue.value > maxValue.value &&
    shape.minValue !== undefined
  ) {
    findings.add(shape.minValue, `minValue ${minValue.text} is greater than maxValue ${maxValue.text}`);
  }
  const { element } = row;
  const item =
    element === null
      ? null
      : shape.item === undefined
        ? noRules(element)
        : rulesOf(findings, shape.item, element, limits);
  const rules = { type, minLength, maxLength, minValue, maxValue, allowed: null, item };
  const allowed =
    shape.allowedValues?.items.flatMap((value) => valueOf(findings, value, rules, limits) ?? []) ?? null;
  return { ...rules, allowed };
}

/** Returns the smallest limit that `minLength` or `maxLength` of a type may set. */
export const leastLength = (row: ParameterTypeRow, key: 'minLength' | 'maxLength'): 0 | 1 =>
  row.type === 'RANGE_EXPR' || (row.element === null && key === 'maxLength') ? 1 : 0;

/** Returns the limit of a text in characters, or of a list in elements. A limit of 0 is valid only for a list. */
function lengthOf(
  findings: Findings,
  at: Located | undefined,
  row: ParameterTypeRow,
  key: 'minLength' | 'maxLength',
): number | null {
  if (at === undefined) return null;
  const value = at.node.kind === 'string' ? 'must be an integer' : integerOf(at.node);
  if (typeof value === 'string') {
    findings.add(at, value);
    return null;
  }
  const least = leastLength(row, key);
  if (value < BigInt(least)) {
    findings.add(at, `must be at least ${least}`);
    return null;
  }
  return Number(value);
}

function boundOf(findings: Findings, at: Located | undefined, row: ParameterTypeRow): Bound | null {
  if (at === undefined || row.element !== null) return null;
  const value = row.compares === 'integer' ? integerOf(at.node) : decimalOf(at.node);
  if (typeof value === 'string') {
    findings.add(at, value);
    return null;
  }
  return typeof value === 'bigint' ? { value, text: `${value}` } : value;
}

/** Returns the canonical value of a node of the template; null if it was reported. */
function valueOf(
  findings: Findings,
  at: Located,
  rules: ParameterRules,
  limits: TemplateLimits,
): string | null {
  const checked = checkValue(rules, at.node, limits);
  if (checked.ok) return checked.text;
  for (const { path, detail } of checked.problems) findings.add(path.reduce(elementOf, at), detail);
  return null;
}

function elementOf(list: Located, index: number): Located {
  const node = list.node.kind === 'sequence' ? list.node.items[index] : undefined;
  return node === undefined ? list : itemOf(list, node, index);
}
