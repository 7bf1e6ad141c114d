import type { Column } from '../../parts/data-table/column.ts';
import { Ago } from '../../parts/time.tsx';
import type { CatalogEntry } from './catalog.ts';
import { limitText } from './scheduling-fields.ts';

/** Returns the first column of a catalog; `size` in pixels. */
export const nameColumn = <Entry extends CatalogEntry>(size = 200): Column<Entry> => ({
  id: 'name',
  header: 'Name',
  cell: ({ name }) => name,
  sortKey: 'name',
  isFixed: true,
  size,
  card: 'title',
});

/** Returns the column of the descriptions; `size` in pixels. */
export const descriptionColumn = <Entry extends { readonly description?: string }>(
  size: number,
  grow = true,
): Column<Entry> => ({
  id: 'description',
  header: 'Description',
  cell: ({ description }) => description,
  grow,
  size,
  card: 'line',
});

/** Returns the last column of a catalog. */
export const changedColumn = <Entry extends { readonly updated_at: string }>(): Column<Entry> => ({
  id: 'updated_at',
  header: 'Changed',
  cell: (entry) => <Ago iso={entry.updated_at} />,
  sortKey: 'updated_at',
  size: 110,
});

/** Returns the column of the limit of concurrent tasks, of a farm or a queue. */
export const taskLimitColumn = <
  Entry extends { readonly max_concurrent_tasks: number },
>(): Column<Entry> => ({
  id: 'max_concurrent_tasks',
  header: 'Concurrent tasks',
  cell: (entry) => limitText(entry.max_concurrent_tasks),
  sortKey: 'max_concurrent_tasks',
  align: 'end',
  size: 140,
});

type RetryName = 'max_attempts' | 'failure_limit';

/** Returns the column of a retry setting. An unset one is inherited from `parent`: "server". */
export const retryColumn = <Name extends RetryName>(
  id: Name,
  header: string,
  parent: string,
  size: number,
): Column<Readonly<Partial<Record<Name, number | null>>>> => ({
  id,
  header,
  cell: (entry) => entry[id] ?? `from ${parent}`,
  sortKey: id,
  align: 'end',
  size,
});
