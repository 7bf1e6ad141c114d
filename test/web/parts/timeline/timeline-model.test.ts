import * as fc from 'fast-check';
import { test } from 'tap';
import {
  endOf,
  firstAfter,
  itemAt,
  moveCursor,
  summaryOf,
  timelineOf,
  type TimelineItem,
} from '../../../../web/parts/timeline/timeline-model.ts';

const NOW = 1_000;
const item = (
  id: string,
  lane: string,
  from: number,
  to: number | null,
  status = 'succeeded',
): TimelineItem => ({
  id,
  name: id,
  status,
  lane,
  from,
  to,
});
const label = (lane: string): string => `worker ${lane}`;
const idsOf = (rows: readonly (readonly TimelineItem[])[]): string[][] =>
  rows.map((row) => row.map(({ id }) => id));

test('overlapping items of a lane get separate rows, later ones reuse a row', (t) => {
  const model = timelineOf(
    [
      item('c', '10', 60, 90),
      item('a', '10', 0, 50),
      item('b', '10', 10, 60),
      item('d', '2', 5, null, 'running'),
    ],
    label,
    NOW,
  );
  t.strictSame(
    model.lanes.map(({ label: name, firstRow, rows }) => ({ name, firstRow, rows })),
    [
      { name: 'worker 2', firstRow: 0, rows: 1 },
      { name: 'worker 10', firstRow: 1, rows: 2 },
    ],
    'lane names are sorted with numbers in numeric order',
  );
  t.strictSame(idsOf(model.rows), [['d'], ['a', 'c'], ['b']]);
  t.strictSame([model.from, model.to], [0, NOW]);
  t.end();
});

test('an empty timeline has no length', (t) => {
  t.strictSame(timelineOf([], label, NOW), { lanes: [], rows: [], from: NOW, to: NOW });
  t.end();
});

test('different clocks give no negative durations, and an item in progress keeps its row', (t) => {
  t.equal(endOf(item('a', 'w', 50, 20), NOW), 50);
  t.equal(endOf(item('a', 'w', NOW + 5, null), NOW), NOW + 5);
  const model = timelineOf([item('a', 'w', 0, null), item('b', 'w', NOW + 10, null)], label, NOW);
  t.strictSame(idsOf(model.rows), [['a'], ['b']]);
  t.end();
});

test('finds the item under the pointer, also if it is narrower than the pointer', (t) => {
  const row = [item('a', 'w', 0, 10), item('b', 'w', 20, 20), item('c', 'w', 30, null)];
  t.equal(itemAt(row, 5, 0, NOW)?.id, 'a');
  t.equal(itemAt(row, 15, 0, NOW), null);
  t.equal(itemAt(row, 18, 3, NOW)?.id, 'b');
  t.equal(itemAt(row, 500, 0, NOW)?.id, 'c');
  t.equal(itemAt(row, 2_000, 5, NOW), null);
  t.equal(itemAt([], 5, Infinity, NOW), null);
  t.end();
});

test('arrow keys move along the row and to the nearest item of the next row', (t) => {
  const model = timelineOf(
    [item('a', '1', 0, 10), item('b', '1', 20, 30), item('x', '2', 0, 5), item('y', '2', 19, 40)],
    label,
    NOW,
  );
  t.strictSame(moveCursor(model, { row: 0, index: 0 }, 'ArrowRight', NOW), { row: 0, index: 1 });
  t.equal(moveCursor(model, { row: 0, index: 1 }, 'ArrowRight', NOW), null);
  t.equal(moveCursor(model, { row: 0, index: 0 }, 'ArrowLeft', NOW), null);
  t.strictSame(moveCursor(model, { row: 0, index: 1 }, 'ArrowDown', NOW), { row: 1, index: 1 });
  t.equal(moveCursor(model, { row: 1, index: 0 }, 'ArrowDown', NOW), null);
  t.strictSame(moveCursor(model, { row: 1, index: 1 }, 'Home', NOW), { row: 1, index: 0 });
  t.strictSame(moveCursor(model, { row: 1, index: 0 }, 'End', NOW), { row: 1, index: 1 });
  t.equal(moveCursor(model, { row: 0, index: 0 }, 'x', NOW), null);
  t.equal(moveCursor(timelineOf([], label, NOW), { row: 0, index: 0 }, 'ArrowDown', NOW), null);
  t.end();
});

test('summarizes a lane', (t) => {
  const [lane] = timelineOf(
    [item('a', 'w', 0, 10), item('b', 'w', 5, 25, 'failed'), item('c', 'w', 990, null, 'running')],
    label,
    NOW,
  ).lanes;
  t.strictSame(lane === undefined ? null : summaryOf(lane, NOW), {
    id: 'w',
    label: 'worker w',
    count: 3,
    failed: 1,
    busyMs: 40,
    from: 0,
    to: NOW,
  });
  t.end();
});

test('every item is in one row of its lane, rows do not overlap, and the binary search agrees with a linear one', (t) => {
  const items = fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(NOW), fc.option(fc.nat(NOW))), {
      maxLength: 60,
      size: 'max',
    })
    .map((list) => list.map(([lane, from, to], index) => item(String(index), lane, from, to)));
  fc.assert(
    fc.property(items, fc.nat(NOW), (list, time) => {
      const { lanes, rows } = timelineOf(list, label, NOW);
      t.strictSame(
        rows
          .flat()
          .map(({ id }) => id)
          .sort(),
        list.map(({ id }) => id).sort(),
      );
      t.equal(
        lanes.reduce((sum, lane) => sum + lane.rows, 0),
        rows.length,
      );
      for (const lane of lanes)
        for (const row of rows.slice(lane.firstRow, lane.firstRow + lane.rows))
          t.ok(row.every((each) => each.lane === lane.id));
      for (const row of rows) {
        t.ok(row.every((each, index) => index === 0 || endOf(row[index - 1] ?? each, NOW) <= each.from));
        const first = row.findIndex((each) => endOf(each, NOW) > time);
        t.equal(firstAfter(row, time, NOW), first === -1 ? row.length : first);
      }
    }),
    { numRuns: 60 },
  );
  t.end();
});
