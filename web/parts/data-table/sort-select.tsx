import { ArrowDown, ArrowUp } from 'lucide-react';
import { IconButton } from '../button.tsx';
import type { Column, Sort } from './column.ts';

/** Sort controls for a list without headers. */
export function SortSelect<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
}) {
  const sortable = columns.flatMap(({ sortKey, header }) =>
    sortKey === undefined ? [] : [{ sortKey, header }],
  );
  if (sortable.length === 0) return null;
  const dir = sort?.dir ?? 'asc';
  return (
    <div className="data-table__sort">
      <select
        className="input"
        aria-label="Sort by"
        value={sort?.key ?? ''}
        onChange={(event) => onSort({ key: event.target.value, dir })}
      >
        {sortable.map(({ sortKey, header }) => (
          <option key={sortKey} value={sortKey}>
            {header}
          </option>
        ))}
      </select>
      <IconButton
        size="small"
        label={dir === 'asc' ? 'Ascending' : 'Descending'}
        icon={dir === 'asc' ? <ArrowUp aria-hidden="true" /> : <ArrowDown aria-hidden="true" />}
        onPress={() => {
          if (sort !== undefined) onSort({ key: sort.key, dir: dir === 'asc' ? 'desc' : 'asc' });
        }}
      />
    </div>
  );
}
