/** One row of the fault matrix. */
export const ROWS = ['F9', 'F10', 'F11', 'F12', 'F16'] as const;
export type RowName = (typeof ROWS)[number];

/** One line of a row's table, by the names of its columns. */
export type Figures = Readonly<Record<string, number | string>>;

export interface RowResult {
  readonly row: RowName;
  readonly title: string;
  /** How the faults were injected. */
  readonly means: string;
  readonly lines: readonly Figures[];
  /** Violations of the matrix, one sentence each. */
  readonly violations: readonly string[];
}

export const round2 = (value: number): number => Math.round(value * 100) / 100;

/** Returns the value at quantile `at`, or 0 for an empty list. */
export function valueAtQuantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}
