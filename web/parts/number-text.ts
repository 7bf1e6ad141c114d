/** Formats a number with at most one decimal: `1,234.5`. */
export const numberText = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** Formats a count with its noun: `1 task`, `1,234 tasks`. `many` is for irregular plurals. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;
