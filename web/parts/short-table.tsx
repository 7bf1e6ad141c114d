import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import './short-table.css';

export interface ShortColumn<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'start' | 'end';
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean;
}

/** A table that shows all of its rows, and scrolls sideways if necessary. */
export function ShortTable<Row>({
  label,
  columns,
  rows,
  rowId,
}: {
  label: string;
  columns: readonly ShortColumn<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
}) {
  const classOf = ({ align, isMinor }: ShortColumn<Row>): string | undefined => {
    const name = classNames(align === 'end' && 'short-table__end', isMinor === true && 'short-table__minor');
    return name === '' ? undefined : name;
  };
  return (
    <div className="short-table" role="group" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {columns.map((column) => (
                <td key={column.header} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
