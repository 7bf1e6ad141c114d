import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { table, type Column } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatAge, shortTime } from './age.ts';
import { printJson, printResult, type Output } from './output.ts';

/** Options of a command that lists items. */
export interface ListOptions {
  readonly columns?: readonly string[];
}

/** A list and how it is shown. */
export interface Listing<Row extends object> {
  /** Noun of one item, such as `job`. */
  readonly what: string;
  /** If it is not `what` with an s. */
  readonly plural?: string;
  readonly columns: readonly Column<Row>[];
  readonly items: readonly Row[];
  /** Number of items that match, if more than `items`. */
  readonly total?: number;
  /** Number of matching items before the first of `items`. */
  readonly offset?: number;
  /** Value for `-o json`: the reply of the server. */
  readonly reply: object;
}

interface Shown {
  readonly terminal: Terminal;
  readonly output: Output;
}

/** Returns the name of a column for `--columns` and `--sort`: its title in lower case, with dashes for blanks. */
const keyOfColumn = ({ title }: Pick<Column<never>, 'title'>): string =>
  title.toLowerCase().replaceAll(' ', '-');

/** Prints a list in the format of the command. All formats but JSON end with the count on standard error. */
export function printListing<Row extends object>(
  { terminal, output }: Shown,
  { what, plural = `${what}s`, columns, items, total = items.length, offset = 0, reply }: Listing<Row>,
  { columns: selected }: ListOptions,
): void {
  if (output.format === 'json') return printJson(terminal, reply);
  printResult({ terminal, output }, items, () =>
    table(shownColumns(columns, items, output, selected), items, terminal),
  );
  terminal.err(`${countText(total === 1 ? what : plural, { shown: items.length, total, offset })}\n`);
}

/** Formats the count of a list: `3 jobs`, or `51 to 100 of 340 jobs; --offset 100 or --all continues`. */
function countText(
  noun: string,
  { shown, total, offset }: { readonly shown: number; readonly total: number; readonly offset: number },
): string {
  if (shown === total) return `${total} ${noun}`;
  const end = offset + shown;
  const range = shown === 0 ? 'none' : offset === 0 ? `${shown}` : `${offset + 1} to ${end}`;
  return `${range} of ${total} ${noun}${end < total ? `; --offset ${end} or --all continues` : ''}`;
}

/** Returns the columns that a format shows. Throws a usage error for an unknown name. */
export function shownColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { format }: Pick<Output, 'format'>,
  selected: readonly string[] | undefined,
): readonly Column<Row>[] {
  const now = Date.now();
  const asShown = (column: Column<Row>): Column<Row> => {
    if (column.isTime !== true) return column;
    const { value } = column;
    return {
      ...column,
      value: (row) => (format === 'wide' ? shortTime(value(row)) : formatAge(value(row), now)),
    };
  };
  if (selected !== undefined) return selected.map((key) => asShown(columnOf(columns, key)));
  return columns
    .filter(
      (column) =>
        format === 'wide' || (column.isWide !== true && (column.isId !== true || isNeeded(columns, rows))),
    )
    .map(asShown);
}

/** Ids are needed if a name occurs twice, or if there are no names. */
function isNeeded<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): boolean {
  const name = columns.find(({ title }) => title === 'NAME');
  return name === undefined || new Set(rows.map((row) => name.value(row))).size < rows.length;
}

/**
 * Returns the column of a name, or of the field that it shows: `priority` is PRIO, `created_at` is CREATED. Throws a usage
 * error if there is none.
 */
export function columnOf<Row>(columns: readonly Column<Row>[], key: string): Column<Row> {
  const wanted = key.toLowerCase();
  const found =
    columns.find((column) => keyOfColumn(column) === wanted) ??
    columns.find((column) => wanted.startsWith(keyOfColumn(column)));
  if (found !== undefined) return found;
  const known = columns.map(keyOfColumn).join(', ');
  throw new CommandError(EXIT.usage, `unknown column ${JSON.stringify(key)}: use ${known}`);
}
