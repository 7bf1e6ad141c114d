import { InvalidArgumentError, Option, type Command } from 'commander';
import { DIRECTIONS } from '../options/choices.ts';
import type { Column } from '../terminal/table.ts';
import { columnOf, type ListOptions } from './listing.ts';

const LIMIT_STANDARD = 50;

/** Options of a list that the server sorts and divides into pages. */
export interface PageOptions extends ListOptions {
  readonly limit: number;
  readonly offset: number;
  readonly all?: boolean;
  readonly sort?: string;
}

/** Options of a short list, which is read as a whole and sorted here. */
export interface WholeListOptions extends ListOptions {
  readonly sort?: string;
}

/** Order of a list; a field of the REST API for a paged list, else a column. */
interface Order {
  readonly field: string;
  readonly isDescending: boolean;
}

const count = (given: string): number => {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(given);
};

const names = (given: string): readonly string[] => {
  const all = given.split(',').map((name) => name.trim());
  if (all.includes('')) throw new InvalidArgumentError('It must be names of columns, separated by commas.');
  return all;
};

/** Adds `--columns`. */
export const columnsOption = (command: Command): Command =>
  command.option('--columns <names>', 'columns to show, separated by commas', names);

/** Adds `--columns` and `--sort` for a short list. */
export const wholeListOptions = (command: Command): Command =>
  columnsOption(command)
    .option('--sort <column>', 'column to sort by; -column for the reverse')
    .addOption(new Option('--all', 'all items, which is always so here').hideHelp());

/** Adds `--columns`, `--sort`, `--limit`, `--offset` and `--all`. Without a standard, the server decides the order. */
export const pageOptions =
  (orders: readonly string[], standard?: string) =>
  (command: Command): Command =>
    columnsOption(command)
      .addOption(
        new Option('--sort <field>', `field to sort by, -field for the reverse: ${orders.join(', ')}`)
          .default(standard)
          .argParser((given: string) => sortOf(given, orders)),
      )
      .addOption(new Option('--sort-by <field>', 'the same as --sort').choices(orders).hideHelp())
      .addOption(
        new Option('--sort-dir <direction>', 'direction of --sort-by').choices(DIRECTIONS).hideHelp(),
      )
      .option('--limit <n>', 'how many to list, 1 to 1000', count, LIMIT_STANDARD)
      .option('--offset <n>', 'how many to skip first', count, 0)
      .option('--all', 'all pages');

/** Returns the order. The title of a column means the field that it shows: `-created` is `-created_at`, `prio` is `priority`. */
function sortOf(given: string, orders: readonly string[]): string {
  const { field, isDescending } = orderOf(given);
  const meant = orders.filter((order) => order === field);
  const [order, another] =
    meant.length > 0 ? meant : orders.filter((each) => field !== '' && each.startsWith(field.toLowerCase()));
  if (order === undefined || another !== undefined)
    throw new InvalidArgumentError(
      `It must be one of ${orders.join(', ')}, with - in front for the reverse.`,
    );
  return `${isDescending ? '-' : ''}${order}`;
}

/** Splits `-name` into the field and the direction. */
const orderOf = (sort: string): Order => ({
  field: sort.replace(/^-/, ''),
  isDescending: sort.startsWith('-'),
});

/** Earlier form of `--sort`. */
export interface SortOptions<Field extends string> {
  readonly sortBy?: Field;
  readonly sortDir?: 'asc' | 'desc';
}

/** Order of a paged list for the REST API. */
export interface ServerOrder<Field extends string> {
  readonly sort_by: Field | undefined;
  readonly sort_dir: 'asc' | 'desc' | undefined;
}

/** Returns the order of a paged list: `--sort-by` and `--sort-dir`, else `--sort`. `--sort-by` alone keeps the direction of `--sort`. `fields` are those of the list. */
export function serverOrder<Field extends string>(
  { sort, sortBy, sortDir }: Pick<PageOptions, 'sort'> & SortOptions<Field>,
  fields: readonly Field[],
): ServerOrder<Field> {
  const { field, isDescending } = orderOf(sort ?? '');
  const wanted = sortBy ?? fields.find((each) => each === field);
  const direction = sort === undefined ? undefined : isDescending ? 'desc' : 'asc';
  return { sort_by: wanted, sort_dir: sortDir ?? direction };
}

/** Sorts a short list by a column. Throws a usage error for an unknown one. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: string | undefined,
): readonly Row[] {
  if (sort === undefined) return rows;
  const { field, isDescending } = orderOf(sort);
  const { value } = columnOf(columns, field);
  const compare = (one: Row, other: Row): number =>
    value(one).localeCompare(value(other), 'en', { numeric: true, sensitivity: 'base' });
  return [...rows].sort((one, other) => (isDescending ? compare(other, one) : compare(one, other)));
}
