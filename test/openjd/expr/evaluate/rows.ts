import type { Test } from 'tap';
import { marked, told, type Row } from './checked.ts';

/** Asserts the result of every row. */
export function tells(t: Test, rows: readonly Row[]): void {
  for (const [source, expected, asked] of rows) {
    t.equal(told(source, asked), expected, `${source} ${JSON.stringify(asked ?? {})}`);
  }
}

/** Asserts the error text of every row. */
export function marks(t: Test, rows: readonly Row[]): void {
  for (const [source, expected, asked] of rows) t.equal(marked(source, asked), expected, source);
}
