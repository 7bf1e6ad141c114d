import type { ProductConstraints, ProductParameter } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';

const MAX_ALLOWED = 12;

/** Formats a value of a parameter: a text as it is, all others as JSON. Empty for null. */
export const valueText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the constraints on a parameter as short texts; empty for none. */
export function ruleTexts(parameter: ProductParameter): readonly string[] {
  const { item, data_flow: flow, user_interface: ui } = parameter;
  return [
    ...constraintTexts(parameter, parameter.type.startsWith('LIST') ? 'element' : 'character'),
    ...(item === null ? [] : constraintTexts(item, 'character').map((text) => `each ${text}`)),
    ...(flow === 'IN'
      ? ['read']
      : flow === 'OUT'
        ? ['written']
        : flow === 'INOUT'
          ? ['read and written']
          : []),
    ...(ui.control === 'HIDDEN' ? ['not in the form'] : []),
  ];
}

function constraintTexts(rules: ProductConstraints, unit: string): readonly string[] {
  const { allowed_values: allowed, min_value: low, max_value: high } = rules;
  const { min_length: shortest, max_length: longest } = rules;
  return [
    ...(allowed === null ? [] : [allowedText(allowed)]),
    ...rangeTexts(low, high, String),
    ...rangeTexts(shortest, longest, (length) => counted(length, unit)),
  ];
}

function allowedText(allowed: readonly unknown[]): string {
  const shown = allowed.slice(0, MAX_ALLOWED).map(valueText).join(' | ');
  return allowed.length > MAX_ALLOWED ? `${shown} and ${allowed.length - MAX_ALLOWED} more` : shown;
}

function rangeTexts<Bound>(
  low: Bound | null,
  high: Bound | null,
  textOf: (bound: Bound) => string,
): readonly string[] {
  if (low !== null && high !== null) return [`${String(low)} to ${textOf(high)}`];
  if (low !== null) return [`at least ${textOf(low)}`];
  return high === null ? [] : [`at most ${textOf(high)}`];
}
