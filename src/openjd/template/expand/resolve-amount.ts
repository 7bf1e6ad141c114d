import { displayOf } from '../../expr/values/display.ts';
import { decimalOf, parseDecimal } from '../../primitives/numbers.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';
import type { Findings } from '../findings.ts';
import { OPTIONAL_AMOUNT } from '../language/field-types.ts';
import { isFormatString, textAt, type Located } from '../located.ts';
import type { AmountRequirement } from '../plan.ts';
import type { AmountShape } from '../shape/template-shape.ts';
import type { CreationValues } from './creation-values.ts';

/**
 * Resolves the numbers of an amount, which can be format strings with FEATURE_BUNDLE_1 (section 3.3.1), and checks resolved
 * ones.
 */
export function resolveAmount(
  findings: Findings,
  creation: CreationValues,
  shape: AmountShape,
  name: string,
): AmountRequirement {
  const min = numberOf(creation, shape.min, (value) => (value < 0 ? 'must be at least 0' : null));
  const max = numberOf(creation, shape.max, (value) => (value <= 0 ? 'must be greater than 0' : null));
  const formats = [shape.min, shape.max].filter((at) => at !== undefined && isFormatString(at));
  if (typeof min === 'number' && typeof max === 'number' && min > max && shape.min !== undefined) {
    // Two literal numbers were compared before.
    if (formats.length > 0) findings.add(shape.min, `min ${min} is greater than max ${max}, when resolved`);
  }
  if (min === null && max === null && formats.length > 0)
    findings.add(shape.at, 'must have at least one of "min" and "max" when resolved');
  return {
    name,
    ...(typeof min === 'number' && { min }),
    ...(typeof max === 'number' && { max }),
  };
}

/** Returns null for an absent number, and undefined if it was reported. */
function numberOf(
  creation: CreationValues,
  at: Located | undefined,
  wrongOf: (value: number) => string | null,
): number | null | undefined {
  if (at === undefined) return null;
  const format = isFormatString(at) ? textAt(at) : undefined;
  if (format === undefined) {
    const literal = decimalOf(at.node);
    return typeof literal === 'string' ? undefined : literal.value;
  }
  const resolved = creation.resolve(format, OPTIONAL_AMOUNT);
  if (resolved === undefined || resolved === null) return resolved;
  const text = displayOf(resolved);
  const value = parseDecimal(text.trim());
  const wrong = value === null ? 'must be a finite decimal number' : wrongOf(value);
  if (wrong === null && value !== null) return value;
  creation.report(at, `resolves to ${quoteForMessage(text)}, and ${String(wrong)}`);
  return undefined;
}
