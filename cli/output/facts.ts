import { coloredStatus, formatField, type Terminal } from '../terminal/terminal.ts';
import type { Column } from '../terminal/table.ts';

/** A name and its value, which may be missing. */
export type Fact = readonly [name: string, value: string | undefined];

/** Formats facts as lines with aligned values, the status in its color. Leaves out those without a value. */
export function factLines(facts: readonly Fact[], terminal: Terminal): string {
  const given = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...given.map(([name]) => name.length)) + 2;
  return given
    .map(([name, value = '']) =>
      name === 'status'
        ? `${name.padEnd(width)}${coloredStatus(value, terminal)}\n`
        : formatField(name, value, width),
    )
    .join('');
}

/** Formats one item as facts: the columns of its list, with exact times. */
export const factsText = <Row>(columns: readonly Column<Row>[], row: Row, terminal: Terminal): string =>
  factLines(
    columns.map((column) => [column.title.toLowerCase(), column.value(row)]),
    terminal,
  );
