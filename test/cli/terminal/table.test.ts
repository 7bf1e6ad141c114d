import { test } from 'tap';
import { table, type Column } from '../../../cli/terminal/table.ts';
import type { Terminal } from '../../../cli/terminal/terminal.ts';

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

/** A terminal without output, for code that reads only its properties. */
const terminal = (columns: number | null, colors: boolean): Terminal => ({
  out: () => {},
  err: () => {},
  isTerminal: columns !== null,
  isErrorTerminal: false,
  columns,
  colors,
  errorColors: false,
  ask: null,
  repaint: null,
});

test('a table without a width limit is as wide as its content', async (t) => {
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

test('a narrow terminal truncates the flexible columns', async (t) => {
  t.equal(
    table(COLUMNS, ROWS, terminal(30, false)),
    [
      'NAME             STATUS      N',
      'a rather long …  failed      7',
      'short            running  1200',
      '',
    ].join('\n'),
  );
  t.equal(
    table(COLUMNS, ROWS, terminal(20, false)),
    ['NAME      STATUS', 'a rathe…  failed', 'short     running', ''].join('\n'),
    'columns that do not fit are omitted from the right',
  );
  t.equal(table(COLUMNS, ROWS, terminal(5, false)), 'NAME\na ra…\nshort\n');
});

test('color codes enclose only the status', async (t) => {
  t.equal(
    table(COLUMNS, ROWS.slice(0, 1), terminal(null, true)),
    'NAME                         STATUS  N\na rather long name of a job  \u001b[31mfailed\u001b[39m  7\n',
  );
});

test('IDs are truncated first, to a prefix that commands accept', async (t) => {
  const id = '0198a1c2-7c1e-7abc-8000-5d1f6a9b3c21';
  const columns: readonly Column<Row>[] = [{ title: 'ID', value: () => id, isId: true }, ...COLUMNS];
  const shown = (width: number): string =>
    table(columns, ROWS.slice(0, 1), terminal(width, false)).split('\n')[1] ?? '';
  t.equal(shown(76), `${id}  a rather long name of a job  failed  7`);
  t.equal(shown(70), '0198a1c2-7c1e-7abc-8000-5d1f6a  a rather long name of a job  failed  7');
  t.equal(shown(40), '0198a1c2-7c1e-7abc  a rather…  failed  7');
});

test('wide and zero-width characters keep the columns aligned', async (t) => {
  const rows: readonly Row[] = [
    { name: '東京 シーン', status: 'failed', count: 1 },
    { name: 'e\u0301te\u0301', status: 'failed', count: 2 },
    { name: '🎬 cut 👩‍🚀', status: 'failed', count: 3 },
    { name: 'ﾊﾝｶｸ', status: 'failed', count: 4 },
  ];
  t.equal(
    table(COLUMNS, rows, terminal(null, false)),
    [
      'NAME         STATUS  N',
      '東京 シーン  failed  1',
      'e\u0301te\u0301          failed  2',
      '🎬 cut 👩‍🚀    failed  3',
      'ﾊﾝｶｸ         failed  4',
      '',
    ].join('\n'),
  );
  const narrow = table(COLUMNS, rows.slice(0, 1), terminal(19, false));
  t.equal(narrow, 'NAME      STATUS  N\n東京 シ…  failed  1\n');
});

test('text of other users cannot move the cursor or change the writing direction', async (t) => {
  const rows = [{ name: 'a\u001b[2Jb\u202ec\u2028d\r\n', status: 'failed', count: 1 }];
  t.equal(
    table(COLUMNS, rows, terminal(null, false)),
    'NAME             STATUS  N\na\ufffd[2Jb\\u202ec\ufffdd  failed  1\n',
  );
});

test('a table shows the first of several lines', async (t) => {
  const rows = [
    { name: 'Division by zero \r\n  1 / 0\n  ~~^~~', status: 'failed', count: 1 },
    { name: 'one\n\n', status: 'ready', count: 2 },
  ];
  t.equal(
    table(COLUMNS, rows, terminal(null, false)),
    'NAME                STATUS  N\nDivision by zero …  failed  1\none                 ready   2\n',
  );
});
