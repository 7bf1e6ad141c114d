/** Envelope of a page (docs/contract/rest.md#paging). */
export interface PageView<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

export interface Sorting<Field extends string> {
  readonly sort_by: Field;
  readonly sort_dir: 'asc' | 'desc';
}

/** Returns one page of a complete list. */
export function pageOf<Record, Item>(
  records: readonly Record[],
  paging: Paging,
  view: (record: Record) => Item,
): PageView<Item> {
  const { limit, offset } = paging;
  return { items: records.slice(offset, offset + limit).map(view), total: records.length, limit, offset };
}

/** Sorts stably by a key of the records. */
export function sortedBy<Record>(
  records: readonly Record[],
  key: (record: Record) => string | number,
  direction: 'asc' | 'desc',
): readonly Record[] {
  const sign = direction === 'asc' ? 1 : -1;
  const keyed = records.map((record) => ({ key: key(record), record }));
  keyed.sort((left, right) => (left.key < right.key ? -sign : left.key > right.key ? sign : 0));
  return keyed.map(({ record }) => record);
}
