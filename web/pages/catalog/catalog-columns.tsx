import type { Column } from '../../parts/data-table/column.ts';
import { Ago } from '../../parts/time.tsx';
import type { CatalogEntry } from './catalog.ts';

/** The column that every catalog begins with; `size` in pixels. */
export const nameColumn = <Entry extends CatalogEntry>(size = 200): Column<Entry> => ({
  id: 'name',
  header: 'Name',
  cell: ({ name }) => name,
  sortKey: 'name',
  isFixed: true,
  size,
  card: 'title',
});

/** The column that every catalog ends with. */
export const changedColumn = <Entry extends { readonly updated_at: string }>(): Column<Entry> => ({
  id: 'updated_at',
  header: 'Changed',
  cell: (entry) => <Ago iso={entry.updated_at} />,
  sortKey: 'updated_at',
  size: 110,
});
