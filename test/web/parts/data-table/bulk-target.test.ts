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
  throw new Error('must not request ids that are known');
};

test('selected rows are the target, loaded or not', async (t) => {
  const target = targetOfSelection(only(['b', 'c']), [A, B], 9, notAsked);
  t.equal(target.count, 2);
  t.strictSame(target.known, [B]);
  t.strictSame(rowsToCheck(target), [], 'one row is not loaded');
  t.strictSame(await target.ids(), ['b', 'c']);
  t.strictSame(rowsToCheck(targetOfSelection(only(['b']), [A, B], 9, notAsked)), [B]);
});

test('ids of all matching rows are requested only on use', async (t) => {
  const asked: (readonly number[])[] = [];
  const target = targetOfSelection(toggled(ALL_SELECTED, 'a'), [A, B], 3, (offset, limit) => {
    asked.push([offset, limit]);
    return Promise.resolve({ items: [A, B, C], total: 3 });
  });
  t.equal(target.count, 2);
  t.strictSame(target.known, [B]);
  t.strictSame(asked, []);
  const progress: number[] = [];
  t.strictSame(await target.ids((collected) => progress.push(collected)), ['b', 'c']);
  t.strictSame(asked, [[0, 1000]]);
  t.strictSame(progress, [2]);
});

test('a single row is its own target', async (t) => {
  const target = targetOfRow(A);
  t.strictSame(rowsToCheck(target), [A]);
  t.strictSame(await target.ids(), ['a']);
});

test('an action is disabled if it applies to none of the rows', (t) => {
  const off = (rows: readonly Row[]): string =>
    disabledReasonForRows(rows, ({ id }) => (id === 'c' ? '' : `Not for ${id}.`), 'Not for any.');
  t.equal(off([A]), 'Not for a.');
  t.equal(off([A, B]), 'Not for any.');
  t.equal(off([A, C]), '');
  t.equal(off([]), '', 'without known rows, no action is disabled');
  t.end();
});
