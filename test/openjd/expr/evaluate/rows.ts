import type { Test } from 'tap';
import { marked, told, type Row } from './checked.ts';

/** Every row of a table gives what it says. */
export function tells(t: Test, rows: readonly Row[]): void {
  for (const [source, expected, asked] of rows) {
    t.equal(told(source, asked), expected, `${source} ${JSON.stringify(asked ?? {})}`);
  }
}

/** Every row of a table fails with this text. */
export function marks(t: Test, rows: readonly Row[]): void {
  for (const [source, expected, asked] of rows) t.equal(marked(source, asked), expected, source);
}
