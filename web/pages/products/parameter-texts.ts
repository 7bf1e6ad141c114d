import type { ProductConstraints, ProductParameter } from '../../../client/resources.ts';

const MAX_ALLOWED = 12;

/** Formats a value of a parameter: a text as it is, all others as JSON. Empty for null. */
export const valueText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the constraints on a parameter as short texts; empty for none. */
export function ruleTexts(parameter: ProductParameter): readonly string[] {
  const { item, data_flow: flow, user_interface: ui } = parameter;
  return [
    ...constraintTexts(parameter, parameter.type.startsWith('LIST') ? 'elements' : 'characters'),
    ...(item === null ? [] : constraintTexts(item, 'characters').map((text) => `each ${text}`)),
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
    ...rangeTexts(low, high, ''),
    ...rangeTexts(shortest, longest, ` ${unit}`),
  ];
}

function allowedText(allowed: readonly unknown[]): string {
  const shown = allowed.slice(0, MAX_ALLOWED).map(valueText).join(' | ');
  return allowed.length > MAX_ALLOWED ? `${shown} and ${allowed.length - MAX_ALLOWED} more` : shown;
}

function rangeTexts(
  low: number | string | null,
  high: number | string | null,
  unit: string,
): readonly string[] {
  if (low !== null && high !== null) return [`${low} to ${high}${unit}`];
  if (low !== null) return [`at least ${low}${unit}`];
  return high === null ? [] : [`at most ${high}${unit}`];
}
