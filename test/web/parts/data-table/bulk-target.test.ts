import { test } from 'tap';
import {
  rowsToCheck,
  disabledReasonForRows,
  targetOfRow,
  targetOfSelection,
} from '../../../../web/parts/data-table/bulk-target.ts';
import { ALL_SELECTED, only, toggled } from '../../../../web/parts/data-table/row-selection.ts';

interface Row {
  readonly id: string;
}
const [A, B, C]: readonly [Row, Row, Row] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
const notAsked = (): never => {
  throw new Error('The ids are known.');
};

test('rows that are selected one by one are the target, loaded or not', async (t) => {
  const target = targetOfSelection(only(['b', 'c']), [A, B], 9, notAsked);
  t.equal(target.count, 2);
  t.strictSame(target.known, [B]);
  t.strictSame(rowsToCheck(target), [], 'of one of them nothing is known');
  t.strictSame(await target.ids(), ['b', 'c']);
  t.strictSame(rowsToCheck(targetOfSelection(only(['b']), [A, B], 9, notAsked)), [B]);
});

test('of all that match the ids are asked for when it begins', async (t) => {
  const asked: (readonly number[])[] = [];
  const target = targetOfSelection(toggled(ALL_SELECTED, 'a'), [A, B], 3, (offset, limit) => {
    asked.push([offset, limit]);
    return Promise.resolve({ items: [A, B, C], total: 3 });
  });
  t.equal(target.count, 2);
  t.strictSame(target.known, [B]);
  t.strictSame(asked, []);
  const told: number[] = [];
  t.strictSame(await target.ids((collected) => told.push(collected)), ['b', 'c']);
  t.strictSame(asked, [[0, 1000]]);
  t.strictSame(told, [2]);
});

test('a row alone is its own target', async (t) => {
  const target = targetOfRow(A);
  t.strictSame(rowsToCheck(target), [A]);
  t.strictSame(await target.ids(), ['a']);
});

test('a deed is off when it makes no sense for any of the rows', (t) => {
  const off = (rows: readonly Row[]): string =>
    disabledReasonForRows(rows, ({ id }) => (id === 'c' ? '' : `Not for ${id}.`), 'Not for any.');
  t.equal(off([A]), 'Not for a.');
  t.equal(off([A, B]), 'Not for any.');
  t.equal(off([A, C]), '');
  t.equal(off([]), '', 'of rows that are not known it is not known');
  t.end();
});
