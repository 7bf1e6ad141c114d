import { test } from 'tap';
import {
  ALL_SELECTED,
  NOTHING_SELECTED,
  deselected,
  withoutDeleted,
  isSelected,
  only,
  selected,
  selectedCount,
  selectionExtent,
  toggled,
  type RowSelection,
} from '../../../../web/parts/data-table/row-selection.ts';

const idsOf = (selection: RowSelection): { kind: string; named: string[] } =>
  selection.kind === 'some'
    ? { kind: 'some', named: [...selection.ids] }
    : { kind: 'all', named: [...selection.except] };

test('rows are selected one by one', (t) => {
  const two = toggled(toggled(NOTHING_SELECTED, 'a'), 'b');
  t.same(idsOf(two), { kind: 'some', named: ['a', 'b'] });
  t.same(idsOf(toggled(two, 'a')), { kind: 'some', named: ['b'] });
  t.same(idsOf(only(['c'])), { kind: 'some', named: ['c'] });
  t.same(idsOf(selected(two, ['b', 'c'])), { kind: 'some', named: ['a', 'b', 'c'] });
  t.same(idsOf(deselected(two, ['b', 'c'])), { kind: 'some', named: ['a'] });
  t.same(idsOf(NOTHING_SELECTED), { kind: 'some', named: [] }, 'selections are immutable');
  t.end();
});

test('all matching rows can be selected, loaded or not, with exceptions', (t) => {
  t.equal(isSelected(ALL_SELECTED, 'anything'), true);
  t.equal(selectedCount(ALL_SELECTED, 100_000), 100_000);
  const but = toggled(toggled(ALL_SELECTED, 'a'), 'b');
  t.same(idsOf(but), { kind: 'all', named: ['a', 'b'] });
  t.equal(isSelected(but, 'a'), false);
  t.equal(selectedCount(but, 10), 8);
  t.equal(selectedCount(but, 1), 0, 'a list that is shorter than the exceptions');
  t.same(idsOf(selected(but, ['a'])), { kind: 'all', named: ['b'] });
  t.end();
});

test('the state of the checkbox for all rows', (t) => {
  t.equal(selectionExtent(NOTHING_SELECTED, 3), 'none');
  t.equal(selectionExtent(only(['a']), 3), 'some');
  t.equal(selectionExtent(only(['a', 'b', 'c']), 3), 'all');
  t.equal(selectionExtent(ALL_SELECTED, 3), 'all');
  t.equal(selectionExtent(toggled(ALL_SELECTED, 'a'), 3), 'some');
  t.equal(selectionExtent(ALL_SELECTED, 0), 'none');
  t.end();
});

test('deleted rows leave the selection', (t) => {
  const two = only(['a', 'b']);
  t.equal(withoutDeleted(two, ['c']), two);
  t.same(idsOf(withoutDeleted(two, ['a', 'c'])), { kind: 'some', named: ['b'] });
  t.same(idsOf(withoutDeleted(toggled(ALL_SELECTED, 'a'), ['a'])), { kind: 'all', named: [] });
  t.end();
});
