import {
  attributeValueWrong,
  capabilityNameWrong,
  fixedValuesOf,
  USAGE_POOL_PREFIX,
} from '../capabilities.ts';
import type { Findings } from '../findings.ts';
import { hasReferences, parseFormatString } from '../format-string.ts';
import { isFormatString, type Located, type Text } from '../located.ts';
import { decimalOf } from '../../primitives/numbers.ts';
import type { AmountShape, AttributeShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/**
 * Pass 6: host requirements (section 3.3; docs/contract/openjd.md#host-requirements). Names and amounts that are format strings, and
 * values that depend on them, are checked when they are resolved (`resolveRequirements`).
 */
export function checkHostRequirements(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
): void {
  for (const { hostRequirements } of template.steps) {
    if (hostRequirements === undefined) continue;
    const { amounts, attributes } = hostRequirements;
    const total = amounts.length + attributes.length;
    if (total > limits.maxRequirements) {
      findings.add(
        hostRequirements.at,
        `must not have more than ${limits.maxRequirements} requirements, and has ${total}`,
      );
    }
    checkUniqueNames(findings, amounts.map(literalName));
    checkUniqueNames(findings, attributes.map(literalName));
    for (const amount of amounts) {
      const name = literalName(amount);
      if (name !== undefined) checkAmountName(findings, amount, name, limits);
      checkAmountNumbers(findings, amount, template.extensions.has('FEATURE_BUNDLE_1'));
    }
    for (const attribute of attributes) checkAttribute(findings, attribute, limits);
  }
}

/** Returns the name of a requirement, or undefined if it is a format string that depends on values. */
function literalName({ name }: AmountShape | AttributeShape): Text | undefined {
  if (name === undefined) return undefined;
  const parsed = parseFormatString(name.value);
  return parsed.ok && !hasReferences(parsed.value) ? name : undefined;
}

/** Reports names of one list that occur twice, ignoring case. Undefined ones are unknown. */
export function checkUniqueNames(findings: Findings, names: readonly (Text | undefined)[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (name === undefined) continue;
    const lower = name.value.toLowerCase();
    if (seen.has(lower)) findings.add(name.at, `the requirement ${quoteForMessage(name.value)} exists twice`);
    seen.add(lower);
  }
}

/** Reports an amount whose literal or resolved `name` is not valid, or requires a number that the amount lacks. */
export function checkAmountName(
  findings: Findings,
  amount: AmountShape,
  name: Text,
  limits: TemplateLimits,
): void {
  const wrong = capabilityNameWrong(name.value, 'amount', limits.maxCapabilityName);
  if (wrong !== null) findings.add(name.at, wrong);
  // A requirement of a pool is always one slot, so it needs no numbers.
  const isPool = name.value.toLowerCase().startsWith(USAGE_POOL_PREFIX);
  if (amount.min === undefined && amount.max === undefined && !isPool) {
    findings.add(amount.at, 'must have at least one of "min" and "max"');
  }
}

/** `formats`: whether the numbers may be format strings, which are checked when they are resolved. */
function checkAmountNumbers(findings: Findings, amount: AmountShape, formats: boolean): void {
  const min = amountOf(findings, amount.min, formats);
  const max = amountOf(findings, amount.max, formats);
  if (min !== undefined && min < 0 && amount.min !== undefined)
    findings.add(amount.min, 'must be at least 0');
  if (max !== undefined && max <= 0 && amount.max !== undefined) {
    findings.add(amount.max, 'must be greater than 0');
  }
  if (min !== undefined && max !== undefined && min > max && amount.min !== undefined) {
    findings.add(amount.min, `min ${min} is greater than max ${max}`);
  }
}

function amountOf(findings: Findings, at: Located | undefined, formats: boolean): number | undefined {
  if (at === undefined) return undefined;
  if (isFormatString(at)) {
    if (!formats) findings.add(at, 'must not be a format string without the extension FEATURE_BUNDLE_1');
    return undefined;
  }
  const value = decimalOf(at.node);
  if (typeof value !== 'string') return value.value;
  findings.add(at, value);
  return undefined;
}

function checkAttribute(findings: Findings, attribute: AttributeShape, limits: TemplateLimits): void {
  const name = literalName(attribute);
  if (name === undefined) return;
  checkAttributeName(findings, attribute, name, limits);
  const { anyOf, allOf } = attribute;
  const lower = name.value.toLowerCase();
  for (const value of [...(anyOf ?? []), ...(allOf ?? [])]) checkLiteral(findings, lower, value, limits);
}

/** Reports an attribute whose literal or resolved `name` is not valid, or allows fewer values than it lists. */
export function checkAttributeName(
  findings: Findings,
  { allOf }: AttributeShape,
  name: Text,
  limits: TemplateLimits,
): void {
  const wrong = capabilityNameWrong(name.value, 'attr', limits.maxCapabilityName);
  if (wrong !== null) findings.add(name.at, wrong);
  const lower = name.value.toLowerCase();
  const second = allOf?.[1];
  if (second !== undefined && fixedValuesOf(lower) !== undefined) {
    findings.add(second.at, `a host has exactly one value of ${lower}`);
  }
}

/** A value without references is checked now, others after they are resolved. */
function checkLiteral(findings: Findings, name: string, value: Text, limits: TemplateLimits): void {
  const parsed = parseFormatString(value.value);
  if (!parsed.ok || hasReferences(parsed.value)) return;
  const wrong = attributeValueWrong(name, value.value, limits.maxAttributeValue);
  if (wrong !== null) findings.add(value.at, wrong);
}
