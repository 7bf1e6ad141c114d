import type { DocumentNode } from '../document.ts';
import type { Findings } from '../findings.ts';
import type { Located } from '../located.ts';
import { decimalOf, integerOf } from '../numbers.ts';
import { constraintBroken, isAllowed, type Bound, type ParameterRules } from '../parameter-rules.ts';
import type { ParameterShape, TemplateShape } from '../shape/template-shape.ts';
import type { BaseType } from '../plan.ts';

import type { TemplateLimits } from '../template-limits.ts';
import { shown } from '../text-rules.ts';
import { checkUserInterface } from './04-user-interface.ts';

/** A job parameter, as far as its definition is sound. */
export interface CheckedParameter {
  readonly shape: ParameterShape;
  readonly rules: ParameterRules;
  /** The default as a canonical value, or null. */
  readonly default: string | null;
}

/**
 * Pass 4: job parameters (sections 2.1 to 2.8): the constraints against each other, the default and the allowed values against the
 * constraints, and the user interface. Gives the definitions by which submitted values are checked.
 */
export function checkParameters(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
): CheckedParameter[] {
  return template.parameters.flatMap((shape) => {
    if (shape.type === undefined) return [];
    const constraints = constraintsOf(findings, shape, shape.type);
    const allowed = allowedOf(findings, shape, constraints, limits);
    const rules = { ...constraints, allowed };
    const value = defaultOf(findings, shape, rules, limits);
    checkUserInterface(findings, shape, rules, limits);
    return { shape, rules, default: value };
  });
}

function constraintsOf(findings: Findings, shape: ParameterShape, type: BaseType): ParameterRules {
  const minLength = lengthOf(findings, shape.minLength, 0);
  const maxLength = lengthOf(findings, shape.maxLength, 1);
  if (minLength !== null && maxLength !== null && minLength > maxLength && shape.minLength !== undefined) {
    findings.add(shape.minLength, `minLength ${minLength} is greater than maxLength ${maxLength}`);
  }
  const minValue = boundOf(findings, shape.minValue, type);
  const maxValue = boundOf(findings, shape.maxValue, type);
  if (
    minValue !== null &&
    maxValue !== null &&
    minValue.value > maxValue.value &&
    shape.minValue !== undefined
  ) {
    findings.add(shape.minValue, `minValue ${minValue.text} is greater than maxValue ${maxValue.text}`);
  }
  return { type, minLength, maxLength, minValue, maxValue, allowed: null };
}

function lengthOf(findings: Findings, at: Located | undefined, min: number): number | null {
  if (at === undefined) return null;
  const value = at.node.kind === 'string' ? 'must be an integer' : integerOf(at.node);
  if (typeof value === 'string') {
    findings.add(at, value);
    return null;
  }
  if (value < BigInt(min)) {
    findings.add(at, `must be at least ${min}`);
    return null;
  }
  return Number(value);
}

function boundOf(findings: Findings, at: Located | undefined, type: BaseType): Bound | null {
  if (at === undefined) return null;
  const value = type === 'INT' ? integerOf(at.node) : decimalOf(at.node);
  if (typeof value === 'string') {
    findings.add(at, value);
    return null;
  }
  return typeof value === 'bigint' ? { value, text: `${value}` } : value;
}

function allowedOf(
  findings: Findings,
  shape: ParameterShape,
  rules: ParameterRules,
  limits: TemplateLimits,
): string[] | null {
  if (shape.allowedValues === undefined) return null;
  return shape.allowedValues.items.flatMap((item) => valueOf(findings, item, rules, limits) ?? []);
}

function defaultOf(
  findings: Findings,
  shape: ParameterShape,
  rules: ParameterRules,
  limits: TemplateLimits,
): string | null {
  if (shape.default === undefined) return null;
  const value = valueOf(findings, shape.default, rules, limits);
  if (value !== null && !isAllowed(rules, value)) {
    findings.add(shape.default, `${shown(value)} is not one of the allowedValues`);
  }
  return value;
}

/** The canonical value that a node of the template gives; null when it was reported. */
function valueOf(
  findings: Findings,
  at: Located,
  rules: ParameterRules,
  limits: TemplateLimits,
): string | null {
  const read = literalOf(at.node, rules.type);
  if ('problem' in read) {
    findings.add(at, read.problem);
    return null;
  }
  const broken = constraintBroken(rules, read.text, limits.maxParameterValue);
  if (broken === null) return read.text;
  findings.add(at, broken);
  return null;
}

type Literal = { readonly text: string } | { readonly problem: string };

function literalOf(node: DocumentNode, type: BaseType): Literal {
  if (type === 'INT') {
    const value = integerOf(node);
    return typeof value === 'string' ? { problem: value } : { text: `${value}` };
  }
  if (type === 'FLOAT') {
    const value = decimalOf(node);
    return typeof value === 'string' ? { problem: value } : { text: value.text };
  }
  return node.kind === 'string' ? { text: node.value } : { problem: 'must be text; put it in quotes' };
}
