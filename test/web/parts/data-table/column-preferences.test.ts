import { test } from 'tap';
import {
  DEFAULT_PREFERENCES,
  columnOrder,
  columnTracks,
  columnVisibility,
  moved,
  movedBefore,
  readColumnPreferences,
  resized,
  shown,
  unsized,
} from '../../../../web/parts/data-table/column-preferences.ts';

const columns = [
  { id: 'name', isFixed: true, grow: true, size: 200, minSize: 120 },
  { id: 'status', size: 100 },
  { id: 'owner', hiddenAtFirst: true },
  { id: 'created' },
];

test('columns start with their defaults', (t) => {
  t.same(columnOrder(columns, DEFAULT_PREFERENCES), ['name', 'status', 'owner', 'created']);
  t.same(columnVisibility(columns, DEFAULT_PREFERENCES), {
    name: true,
    status: true,
    owner: false,
    created: true,
  });
  t.same(columnTracks(columns, DEFAULT_PREFERENCES), {
    tracks: 'minmax(200px, 1fr) 100px 140px 140px',
    width: 580,
  });
  t.end();
});

test('columns can be moved', (t) => {
  const down = moved(columns, DEFAULT_PREFERENCES, 'name', 1);
  t.same(columnOrder(columns, down), ['status', 'name', 'owner', 'created']);
  t.equal(moved(columns, down, 'status', -1), down, 'the first column cannot move further');
  t.equal(moved(columns, down, 'created', 1), down, 'nor can the last');
  t.equal(moved(columns, down, 'nothing', 1), down);
  t.same(columnOrder(columns, movedBefore(columns, down, 'created', 'status')), [
    'created',
    'status',
    'name',
    'owner',
  ]);
  t.same(columnOrder(columns, movedBefore(columns, down, 'status', null)), [
    'name',
    'owner',
    'created',
    'status',
  ]);
  t.equal(movedBefore(columns, down, 'status', 'status'), down);
  t.end();
});

test('a column of a newer version follows its predecessor, and an unknown column is dropped', (t) => {
  const kept = { ...DEFAULT_PREFERENCES, order: ['created', 'gone', 'name', 'created', 'owner'] };
  t.same(columnOrder(columns, kept), ['created', 'name', 'status', 'owner']);
  t.same(columnOrder([{ id: 'new' }, ...columns], { ...DEFAULT_PREFERENCES, order: ['name'] })[0], 'new');
  t.end();
});

test('columns can be hidden, except fixed ones', (t) => {
  const some = shown(shown(shown(DEFAULT_PREFERENCES, 'owner', true), 'status', false), 'name', false);
  t.same(columnVisibility(columns, some), { name: true, status: false, owner: true, created: true });
  t.end();
});

test('columns are resized within their limits', (t) => {
  const name = columns[0] ?? { id: '' };
  const status = columns[1] ?? { id: '' };
  t.same(resized(DEFAULT_PREFERENCES, name, 10).sizes, { name: 120 });
  t.same(resized(DEFAULT_PREFERENCES, status, 10).sizes, { status: 56 });
  t.same(resized(DEFAULT_PREFERENCES, status, 99_999).sizes, { status: 2000 });
  const both = resized(resized(DEFAULT_PREFERENCES, status, 80.4), name, 300);
  t.same(both.sizes, { status: 80, name: 300 });
  t.same(
    columnTracks(columns, both),
    { tracks: '300px 80px 140px 140px minmax(0, 1fr)', width: 660 },
    'the remaining space stays empty',
  );
  t.same(unsized(both, 'name').sizes, { status: 80 });
  t.end();
});

test('invalid stored preferences are rejected', (t) => {
  for (const bad of [
    null,
    1,
    'x',
    [],
    {},
    { order: 1, isVisible: {}, sizes: {} },
    { order: [], isVisible: [], sizes: {} },
  ]) {
    t.equal(readColumnPreferences(bad), null);
  }
  t.same(
    readColumnPreferences({
      order: ['a', 1],
      isVisible: { a: true, b: 'yes' },
      sizes: { a: 100, b: '1', c: -1, d: 5000, e: null },
    }),
    { order: ['a'], isVisible: { a: true }, sizes: { a: 100 } },
  );
  t.end();
});
