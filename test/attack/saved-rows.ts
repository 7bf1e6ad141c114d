import { existsSync, readFileSync } from 'node:fs';
import { resultsFolder } from '../../bench/kit/results.ts';

/** A row of a saved run. Other fields are kept as they are. */
export interface SavedRow {
  readonly id: string;
  readonly tried: number;
  readonly violations: readonly unknown[];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isSavedRow = (value: unknown): value is SavedRow =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['tried'] === 'number' &&
  Array.isArray(value['violations']);

/** Returns the rows of the saved run; none if there is no saved run. */
export function savedRows(): readonly SavedRow[] {
  const file = new URL('attack.json', resultsFolder);
  if (!existsSync(file)) return [];
  const saved: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const figures = isRecord(saved) ? saved['figures'] : null;
  const rows = isRecord(figures) ? figures['rows'] : null;
  return Array.isArray(rows) ? rows.filter(isSavedRow) : [];
}

/** Returns the order of two rows by their number. */
export const byNumber = (a: { readonly id: string }, b: { readonly id: string }): number =>
  Number(a.id.slice(1)) - Number(b.id.slice(1));
