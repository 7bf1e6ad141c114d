import { test } from 'tap';
import { rowKeyAction, type PressedKey } from '../../../../web/parts/data-table/row-keys.ts';

const place = { active: 5, total: 100, page: 20 };
const key = (name: string, held: Partial<PressedKey> = {}): PressedKey => ({
  key: name,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});
const move = (to: number, isRange = false) => ({ kind: 'move', to, isRange });

test('keys move between the rows and stay within the list', (t) => {
  t.same(rowKeyAction(key('ArrowDown'), place), move(6));
  t.same(rowKeyAction(key('ArrowUp'), place), move(4));
  t.same(rowKeyAction(key('PageDown'), place), move(24));
  t.same(rowKeyAction(key('PageUp'), place), move(0));
  t.same(rowKeyAction(key('Home'), place), move(0));
  t.same(rowKeyAction(key('End'), place), move(99));
  t.same(rowKeyAction(key('ArrowDown'), { ...place, active: 99 }), move(99));
  t.same(rowKeyAction(key('PageDown'), { active: 0, total: 3, page: 1 }), move(1));
  t.equal(rowKeyAction(key('ArrowDown'), { active: 0, total: 0, page: 20 }), null);
  t.end();
});

test('with Shift, keys select a range', (t) => {
  t.same(rowKeyAction(key('ArrowDown', { shiftKey: true }), place), move(6, true));
  t.same(rowKeyAction(key('End', { shiftKey: true, ctrlKey: true }), place), move(99, true));
  t.end();
});

test('other keys open, select and open the menu', (t) => {
  t.same(rowKeyAction(key('Enter'), place), { kind: 'open' });
  t.same(rowKeyAction(key(' '), place), { kind: 'toggle' });
  t.same(rowKeyAction(key('a', { ctrlKey: true }), place), { kind: 'select-all' });
  t.same(rowKeyAction(key('A', { metaKey: true }), place), { kind: 'select-all' });
  t.same(rowKeyAction(key('Delete'), place), { kind: 'delete' });
  t.same(rowKeyAction(key('Escape'), place), { kind: 'select-none' });
  t.same(rowKeyAction(key('ContextMenu'), place), { kind: 'menu' });
  t.same(rowKeyAction(key('F10', { shiftKey: true }), place), { kind: 'menu' });
  t.end();
});

test('other keys are not handled', (t) => {
  for (const other of [key('a'), key('F10'), key('Tab'), key('ArrowLeft'), key('/')]) {
    t.equal(rowKeyAction(other, place), null);
  }
  for (const name of ['ArrowDown', 'Enter', ' ', 'Escape']) {
    t.equal(rowKeyAction(key(name, { ctrlKey: true }), place), null);
    t.equal(rowKeyAction(key(name, { altKey: true }), place), null);
  }
  t.end();
});
