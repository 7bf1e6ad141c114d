import { test } from 'tap';
import type { SpaceDescription } from '../../../src/openjd/template/space-description.ts';
import { tasksWithValues } from '../../../src/openjd/template/space/tasks-with-values.ts';

const frames = (start: number, count: number, step = 1): SpaceDescription => ({
  kind: 'axis',
  name: 'Frame',
  values: { kind: 'runs', runs: [{ start: String(start), step: String(step), count }] },
});
const FRAME = { name: 'Frame', type: 'INT' } as const;

/** The indices of the selected tasks, or the error. */
function selected(step: Parameters<typeof tasksWithValues>[0], text: string): readonly number[] | string {
  const tasks = tasksWithValues(step, text);
  if (!tasks.ok) return tasks.detail;
  return tasks.runs.flatMap(({ start, step: stride, count }) =>
    Array.from({ length: count }, (_, nth) => start + nth * stride),
  );
}

test('frames are selected by their values, not by their positions', (t) => {
  const from1 = { space: frames(1, 100), taskParameters: [FRAME] };
  t.strictSame(selected(from1, '10-12'), [9, 10, 11], 'with frames 1 to 100, 10-12 are frames 10 to 12');
  t.strictSame(selected(from1, ' Frame = 1-9:4 , 100 '), [0, 4, 8, 99]);
  t.strictSame(selected(from1, '99-105'), [98, 99], 'values that no task has are ignored');
  const high = { space: frames(1001, 10), taskParameters: [FRAME] };
  t.strictSame(selected(high, '1003-1007'), [2, 3, 4, 5, 6]);
  const even = { space: frames(2, 5, 2), taskParameters: [FRAME] };
  t.strictSame(selected(even, '1-6'), [0, 1, 2]);
  t.match(selected(high, '3-7'), /^no task has Frame="3-7"; the step has Frame "1001" to "1010"$/);
  t.match(selected(high, 'Shot=1'), /^there is no task parameter "Shot"; the step has Frame$/);
  t.match(selected(high, '3-'), /is not a part of a range/);
  t.end();
});

test('a value of one of several parameters selects all tasks that have it', (t) => {
  const cameras: SpaceDescription = {
    kind: 'axis',
    name: 'Camera',
    values: { kind: 'list', values: ['l', 'r'] },
  };
  const space: SpaceDescription = { kind: 'product', parts: [cameras, frames(1, 3)] };
  const taskParameters = [{ name: 'Camera', type: 'STRING' } as const, FRAME];
  const step = { space, taskParameters };
  t.strictSame(selected(step, '2-3'), [1, 2, 4, 5]);
  t.strictSame(selected(step, 'Camera=r'), [3, 4, 5]);
  t.strictSame(selected(step, 'Camera=l, r'), [0, 1, 2, 3, 4, 5]);
  const other: SpaceDescription = { kind: 'product', parts: [frames(1, 3), cameras] };
  t.strictSame(selected({ ...step, space: other }, 'Frame=2'), [2, 3]);
  t.end();
});

test('a chunk is selected if it contains any of the numbers', (t) => {
  const cut = { constraint: 'CONTIGUOUS', size: 10, greedy: true } as const;
  const space: SpaceDescription = {
    kind: 'axis',
    name: 'Frame',
    values: { kind: 'chunks', runs: [{ start: '1', step: '1', count: 100 }], cut },
  };
  const taskParameters = [{ name: 'Frame', type: 'CHUNK[INT]' } as const];
  t.strictSame(selected({ space, taskParameters }, '10-11,95'), [0, 1, 9]);
  t.end();
});

test('numbers alone need exactly one integer parameter', (t) => {
  const none = { space: { kind: 'single' } as const, taskParameters: [] };
  t.match(selected(none, '1'), /^the step has no integer task parameter/);
  const space: SpaceDescription = {
    kind: 'product',
    parts: [frames(1, 2), { kind: 'axis', name: 'Tile', values: { kind: 'list', values: ['1', '2'] } }],
  };
  const taskParameters = [FRAME, { name: 'Tile', type: 'INT' } as const];
  const two = { space, taskParameters };
  t.match(selected(two, '1'), /name one: Frame=1-10 or Tile=1-10$/);
  t.strictSame(selected(two, 'Tile=2'), [1, 3]);
  t.end();
});
