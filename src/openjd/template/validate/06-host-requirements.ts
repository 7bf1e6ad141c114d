import {
  attributeValueWrong,
  capabilityNameWrong,
  fixedValuesOf,
  USAGE_POOL_PREFIX,
} from '../capabilities.ts';
import type { SupportedFeatures } from '../extensions.ts';
import type { Findings } from '../findings.ts';
import { hasReferences, parseFormatString } from '../format-string.ts';
import type { Located, Text } from '../located.ts';
import { decimalOf } from '../../primitives/numbers.ts';
import type {
  AmountShape,
  AttributeShape,
  HostRequirementsShape,
  TemplateShape,
} from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/** Pass 6: host requirements (section 3.3; docs/contract/openjd.md#host-requirements). */
export function checkHostRequirements(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
  supported: SupportedFeatures,
): void {
  for (const { hostRequirements } of template.steps) {
    if (hostRequirements === undefined) continue;
    const total = hostRequirements.amounts.length + hostRequirements.attributes.length;
    if (total > limits.maxRequirements) {
      findings.add(
        hostRequirements.at,
        `must not have more than ${limits.maxRequirements} requirements, and has ${total}`,
      );
    }
    checkUniqueNames(findings, hostRequirements);
    for (const amount of hostRequirements.amounts) checkAmount(findings, amount, limits, supported);
    for (const attribute of hostRequirements.attributes) checkAttribute(findings, attribute, limits);
  }
}

/** Names are unique in each list, ignoring case. */
function checkUniqueNames(findings: Findings, requirements: HostRequirementsShape): void {
  for (const list of [requirements.amounts, requirements.attributes]) {
    const seen = new Set<string>();
    for (const { name } of list) {
      if (name === undefined) continue;
      const lower = name.value.toLowerCase();
      if (seen.has(lower))
        findings.add(name.at, `the requirement ${quoteForMessage(name.value)} exists twice`);
      seen.add(lower);
    }
  }
}

function checkAmount(
  findings: Findings,
  amount: AmountShape,
  limits: TemplateLimits,
  supported: SupportedFeatures,
): void {
  const { name } = amount;
  const wrong =
    name === undefined ? null : capabilityNameWrong(name.value, 'amount', limits.maxCapabilityName);
  if (name !== undefined && wrong !== null) findings.add(name.at, wrong);
  // A requirement of a pool is always one slot, so it needs no numbers.
  const isPool = name?.value.toLowerCase().startsWith(USAGE_POOL_PREFIX) === true;
  if (name !== undefined && isPool && !supported.usagePools) {
    findings.add(name.at, 'usage pools are not supported yet');
  }
  if (amount.min === undefined && amount.max === undefined && !isPool) {
    findings.add(amount.at, 'must have at least one of "min" and "max"');
  }
  const min = amountOf(findings, amount.min);
  const max = amountOf(findings, amount.max);
  if (min !== undefined && min < 0 && amount.min !== undefined)
    findings.add(amount.min, 'must be at least 0');
  if (max !== undefined && max <= 0 && amount.max !== undefined) {
    findings.add(amount.max, 'must be greater than 0');
  }
  if (min !== undefined && max !== undefined && min > max && amount.min !== undefined) {
    findings.add(amount.min, `min ${min} is greater than max ${max}`);
  }
}

function amountOf(findings: Findings, at: Located | undefined): number | undefined {
  if (at === undefined) return undefined;
  if (at.node.kind === 'string' && at.node.value.includes('{{')) {
    findings.add(at, 'must not be a format string');
    return undefined;
  }
  const value = decimalOf(at.node);
  if (typeof value !== 'string') return value.value;
  findings.add(at, value);
  return undefined;
}

function checkAttribute(findings: Findings, attribute: AttributeShape, limits: TemplateLimits): void {
  const { name, anyOf, allOf } = attribute;
  if (name !== undefined) {
    const wrong = capabilityNameWrong(name.value, 'attr', limits.maxCapabilityName);
    if (wrong !== null) findings.add(name.at, wrong);
  }
  const lower = name?.value.toLowerCase() ?? '';
  for (const value of [...(anyOf ?? []), ...(allOf ?? [])]) checkLiteral(findings, lower, value, limits);
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
