import fc from 'fast-check';
import { test } from 'tap';
import {
  countsOf,
  moveCounts,
  NO_TASKS,
  sumCounts,
  type TaskCounts,
} from '../../../src/core/lifecycle/task-counts.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';

const statuses = fc.array(fc.constantFrom(...TASK_STATUSES), { maxLength: 30 });

const counted = (tasks: readonly TaskStatus[]): TaskCounts => {
  const counts = { ...NO_TASKS, total: tasks.length };
  for (const status of tasks) counts[status]++;
  return counts;
};

test('counts of tasks of one status', (t) => {
  for (const status of TASK_STATUSES) {
    t.strictSame(countsOf(4, status), counted([status, status, status, status]), status);
  }
  t.strictSame(countsOf(0, 'ready'), NO_TASKS);
  t.end();
});

test('moving counts is counting the moved tasks', (t) => {
  fc.assert(
    fc.property(
      statuses,
      fc.constantFrom(...TASK_STATUSES),
      fc.constantFrom(...TASK_STATUSES),
      fc.nat(10),
      (tasks, from, to, most) => {
        let moved = 0;
        const after = tasks.map((status) => (status === from && moved < most && ++moved > 0 ? to : status));
        t.strictSame(moveCounts(counted(tasks), from, to, moved), counted(after));
      },
    ),
    { numRuns: 300 },
  );
  t.strictSame(
    moveCounts(countsOf(2, 'ready'), 'ready', 'assigned'),
    counted(['ready', 'assigned']),
    'one by default',
  );
  t.end();
});

test('a move to the same status, and a move of none, give the same counts back', (t) => {
  const counts = countsOf(3, 'ready');
  t.equal(moveCounts(counts, 'ready', 'ready', 2), counts);
  t.equal(moveCounts(counts, 'ready', 'assigned', 0), counts);
  t.end();
});

test('the sum of counts is the counts of all', (t) => {
  fc.assert(
    fc.property(fc.array(statuses, { maxLength: 5 }), (steps) => {
      t.strictSame(sumCounts(steps.map(counted)), counted(steps.flat()));
    }),
    { numRuns: 200 },
  );
  t.strictSame(sumCounts([{ ...countsOf(2, 'ready'), unschedulable: 1 }]).unschedulable, 1);
  t.end();
});

test('no operation changes what it is given', (t) => {
  const counts = Object.freeze(countsOf(3, 'ready'));
  moveCounts(counts, 'ready', 'assigned');
  sumCounts([counts, counts]);
  t.strictSame(counts, counted(['ready', 'ready', 'ready']));
  t.strictSame(NO_TASKS, counted([]));
  t.end();
});
