import { Ellipsis } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { classNames } from '../class-names.ts';
import { Skeleton } from '../skeleton.tsx';
import type { Column } from './column.ts';

interface TableRowProps<Row> {
  readonly row: Row | undefined;
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly columns: readonly Column<Row>[];
  readonly isCard: boolean;
  readonly isActive: boolean;
  /** Null if the rows of this table are not selectable. */
  readonly isSelected: boolean | null;
  /** True for the row that the pane shows. */
  readonly isShown: boolean;
  readonly hasActions: boolean;
  /** Name of the row in the labels of its controls. */
  readonly name: string;
  readonly href: string | null;
  readonly className: string;
}

/** A row, or a card on narrow screens. The table handles its events. */
function TableRowView<Row>(props: TableRowProps<Row>) {
  const { row, index, top, columns, isCard, isActive, isSelected, isShown, hasActions, name, className } =
    props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected ?? undefined}
      aria-current={isShown || undefined}
      aria-busy={row === undefined || undefined}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      className={classNames(
        isCard ? 'data-table__card' : 'data-table__row',
        isSelected === true && 'data-table__row--selected',
        isShown && 'data-table__row--shown',
        className,
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {isSelected !== null && (
        <div role="gridcell" className="data-table__select">
          <input
            type="checkbox"
            tabIndex={-1}
            data-select=""
            aria-label={`Select ${name}`}
            checked={isSelected}
            disabled={row === undefined}
            readOnly
          />
        </div>
      )}
      {columns.map((column, place) => (
        <TableCell
          key={column.id}
          column={column}
          row={row}
          isCard={isCard}
          href={place === 0 ? props.href : null}
        />
      ))}
      {!isCard && <div role="presentation" />}
      {hasActions && (
        <div role="gridcell" className="data-table__actions">
          <button
            type="button"
            tabIndex={-1}
            data-actions=""
            className="button button--quiet button--icon button--small"
            aria-label={`Actions for ${name}`}
            aria-haspopup="menu"
            disabled={row === undefined}
          >
            <Ellipsis aria-hidden="true" />
          </button>
        </div>
      )}
    </div>
  );
}

function TableCell<Row>({
  column,
  row,
  isCard,
  href,
}: {
  column: Column<Row>;
  row: Row | undefined;
  isCard: boolean;
  href: string | null;
}) {
  const content = row === undefined ? <Skeleton width="60%" /> : column.cell(row);
  const place = column.card ?? 'meta';
  // Omits labels without a value.
  if (isCard && place === 'meta' && content === '') return null;
  return (
    <div
      role="gridcell"
      className={classNames(
        'data-table__cell',
        isCard && `data-table__cell--${place}`,
        !isCard && column.align === 'end' && 'data-table__cell--end',
      )}
      title={row === undefined ? undefined : column.text?.(row)}
    >
      {isCard && place === 'meta' && <span className="data-table__label">{column.header}</span>}
      {href === null ? (
        content
      ) : (
        <Link href={href} tabIndex={-1} data-row-link="" className="data-table__link">
          {content}
        </Link>
      )}
    </div>
  );
}

export const TableRow = memo(TableRowView) as typeof TableRowView;
