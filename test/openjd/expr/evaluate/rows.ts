import type { Test } from 'tap';
import { errorText, resultText, type Row } from './checked.ts';

/** Asserts the result of every row. */
export function checkResults(t: Test, rows: readonly Row[]): void {
  for (const [source, expected, asked] of rows) {
    t.equal(resultText(source, asked), expected, `${source} ${JSON.stringify(asked ?? {})}`);
  }
}

/** Asserts the error text of every row. */
export function checkErrors(t: Test, rows: readonly Row[]): void {
  for (const [source, expected, asked] of rows) t.equal(errorText(source, asked), expected, source);
}
