import type { ReactNode } from 'react';
import type { Column } from '../../parts/data-table/column.ts';

/** Shows a number; zero is muted. */
export const countCell = (value: number): ReactNode =>
  value === 0 ? <span className="muted">0</span> : value.toLocaleString('en');

/** Returns a column whose cells are plain text, also in the tooltip. */
export const textColumn = <Row,>(
  text: (row: Row) => string,
  column: Omit<Column<Row>, 'cell' | 'text'>,
): Column<Row> => ({ ...column, cell: text, text });

/** Returns the columns as columns that are hidden until the user shows them. Cards leave them out. */
export const optionalColumns = <Row,>(columns: readonly Column<Row>[]): readonly Column<Row>[] =>
  columns.map((column) => ({ ...column, hiddenAtFirst: true, card: 'hidden' }));

/** Returns the first column of a list: the name, which also is the title of a card. Sizes in pixels. */
export const listNameColumn = <Row extends { readonly name: string }>(
  size: number,
  minSize: number,
): Column<Row> =>
  textColumn(({ name }: Row) => name, {
    id: 'name',
    header: 'Name',
    size,
    minSize,
    grow: true,
    isFixed: true,
    sortKey: 'name',
    card: 'title',
  });

/** Returns the column of the ids, the last one of a list. */
export const idColumn = <Row extends { readonly id: string }>(): Column<Row> => ({
  id: 'id',
  header: 'ID',
  size: 290,
  cell: ({ id }) => <span className="mono">{id}</span>,
  text: ({ id }) => id,
});
