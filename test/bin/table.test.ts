import { test } from 'tap';
import { progressLine } from '../../src/bin/commands/progress.ts';
import { table, type Column } from '../../src/bin/commands/table.ts';
import type { Terminal } from '../../src/bin/commands/terminal.ts';

interface Row {
  readonly name: string;
  readonly status: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', value: (row) => row.name, shrinks: true },
  { title: 'STATUS', value: (row) => row.status, isStatus: true },
  { title: 'N', value: (row) => String(row.count), align: 'right' },
];

const ROWS: readonly Row[] = [
  { name: 'a rather long name of a job', status: 'failed', count: 7 },
  { name: 'short', status: 'running', count: 1200 },
];

/** A terminal that shows nothing: for what only looks at its abilities. */
const terminal = (columns: number | null, colors: boolean): Terminal => ({
  out: () => {},
  err: () => {},
  columns,
  colors,
  errorColors: false,
  repaintColumns: null,
});

test('a table is as wide as its content when nothing limits it', async (t) => {
  t.equal(
    table(COLUMNS, ROWS, terminal(null, false)),
    [
      'NAME                         STATUS      N',
      'a rather long name of a job  failed      7',
      'short                        running  1200',
      '',
    ].join('\n'),
  );
  t.equal(table(COLUMNS, [], terminal(null, false)), 'NAME  STATUS  N\n');
});

test('a narrow terminal cuts what may be cut', async (t) => {
  t.equal(
    table(COLUMNS, ROWS, terminal(30, false)),
    [
      'NAME             STATUS      N',
      'a rather long …  failed      7',
      'short            running  1200',
      '',
    ].join('\n'),
  );
  t.match(table(COLUMNS, ROWS, terminal(5, false)), /^NAME {6}STATUS/, 'a column keeps its least width');
});

test('colours stand around the status alone', async (t) => {
  t.equal(
    table(COLUMNS, ROWS.slice(0, 1), terminal(null, true)),
    'NAME                         STATUS  N\na rather long name of a job  \u001b[31mfailed\u001b[39m  7\n',
  );
});

test('a progress bar fits its line and shows its share', async (t) => {
  const job = (name: string, succeeded: number, failed: number): Parameters<typeof progressLine>[0] => ({
    name,
    status: 'running',
    task_counts: {
      total: 8,
      pending: 0,
      ready: 8 - succeeded - failed,
      assigned: 0,
      running: 0,
      succeeded,
      failed,
      canceled: 0,
      unschedulable: 0,
    },
  });
  t.equal(progressLine(job('bake', 2, 0), 34), 'bake [███░░░░░░░░░░░] 2/8, running');
  t.equal(progressLine(job('bake', 7, 1), 44), 'bake [██████████████] 7/8, 1 failed, running');
  t.equal(progressLine(job('bake', 0, 0), 20), 'bake 0/8, running');
  for (const columns of [20, 30, 44, 79, 200]) {
    t.ok(
      [...progressLine(job('a name\u001b that is long enough to hurt', 3, 1), columns)].length <= columns,
      `${columns}`,
    );
  }
});
