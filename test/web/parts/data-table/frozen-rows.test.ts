import { test } from 'tap';
import { rowsOf } from '../../../../web/parts/data-table/column.ts';
import { frozenRows, withFrozenOrder } from '../../../../web/parts/data-table/frozen-rows.ts';

interface Row {
  readonly id: string;
  readonly status: string;
}
const rows = (...texts: string[]): readonly Row[] =>
  texts.map((text) => ({ id: text.charAt(0), status: text.slice(1) }));
const idOf = (row: Row): string => row.id;
const textOf = (row: Row | undefined): string => (row === undefined ? 'none' : row.id + row.status);

test('rows keep their positions and show current values', (t) => {
  const before = rowsOf(rows('a1', 'b1', 'c1', 'd1'));
  const frozen = frozenRows(before, 0, 2);
  const after = withFrozenOrder(rowsOf(rows('n1', 'c2', 'a1', 'b1', 'd1')), frozen, idOf);
  t.equal(after.total, 4);
  t.same(
    [0, 1, 2].map((index) => textOf(after.row(index))),
    ['a1', 'b1', 'c2'],
  );
  t.equal(textOf(after.row(3)), 'b1', 'positions outside the captured range show the rows of the list');
  t.end();
});

test('a deleted row stays until rows may move', (t) => {
  const frozen = frozenRows(rowsOf(rows('a1', 'b1')), 0, 1);
  const after = withFrozenOrder(rowsOf(rows('b2')), frozen, idOf);
  t.same([textOf(after.row(0)), textOf(after.row(1))], ['a1', 'b2']);
  t.end();
});

test('without captured rows the list is returned unchanged', (t) => {
  const source = rowsOf(rows('a1'));
  t.equal(withFrozenOrder(source, null, idOf), source);
  t.equal(withFrozenOrder(source, frozenRows(rowsOf<Row>(undefined), 0, 10), idOf), source);
  t.end();
});
