import fc from 'fast-check';
import { test } from 'tap';
import {
  copyOfCounts,
  countsOf,
  moveCounts,
  NO_TASKS,
  replaceCounts,
  sumCounts,
  type TaskCounts,
} from '../../../src/core/lifecycle/task-counts.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';

const statuses = fc.array(fc.constantFrom(...TASK_STATUSES), { maxLength: 30, size: 'max' });

const counted = (tasks: readonly TaskStatus[]): TaskCounts => {
  const counts = { ...NO_TASKS, total: tasks.length };
  for (const status of tasks) counts[status]++;
  return counts;
};

test('counts tasks of one status', (t) => {
  for (const status of TASK_STATUSES) {
    t.strictSame(countsOf(4, status), counted([status, status, status, status]), status);
  }
  t.strictSame(countsOf(0, 'ready'), NO_TASKS);
  t.end();
});

test('moving counts equals counting the moved tasks', (t) => {
  fc.assert(
    fc.property(
      statuses,
      fc.constantFrom(...TASK_STATUSES),
      fc.constantFrom(...TASK_STATUSES),
      fc.nat(10),
      (tasks, from, to, most) => {
        let moved = 0;
        const after = tasks.map((status) => (status === from && moved < most && ++moved > 0 ? to : status));
        const counts = copyOfCounts(counted(tasks));
        moveCounts(counts, from, to, moved);
        t.strictSame(counts, counted(after));
      },
    ),
    { numRuns: 300 },
  );
  const two = copyOfCounts(countsOf(2, 'ready'));
  moveCounts(two, 'ready', 'assigned');
  t.strictSame(two, counted(['ready', 'assigned']), 'one task by default');
  t.end();
});

test('a copy of counts is independent of the original', (t) => {
  const counts = copyOfCounts({ ...countsOf(3, 'ready'), unschedulable: 2 });
  const copy = copyOfCounts(counts);
  moveCounts(counts, 'ready', 'assigned', 3);
  t.strictSame(copy, { ...countsOf(3, 'ready'), unschedulable: 2 });
  t.end();
});

test('the sum of counts equals the counts of all tasks', (t) => {
  fc.assert(
    fc.property(fc.array(statuses, { maxLength: 5 }), (steps) => {
      t.strictSame(sumCounts(steps.map(counted)), counted(steps.flat()));
    }),
    { numRuns: 200 },
  );
  t.strictSame(sumCounts([{ ...countsOf(2, 'ready'), unschedulable: 1 }]).unschedulable, 1);
  t.end();
});

test('replacing the counts of one part equals the sum with the new ones', (t) => {
  const [before, after, other] = [countsOf(5, 'ready'), countsOf(5, 'running'), countsOf(3, 'failed')];
  const sum = sumCounts([before, other]);
  t.strictSame(replaceCounts(sum, before, after), sumCounts([after, other]));
  t.equal(replaceCounts(sum, before, before), sum);
  t.strictSame(sum, sumCounts([before, other]), 'the sum itself is not changed');
  t.end();
});

test('a sum does not change its input', (t) => {
  const counts = Object.freeze(countsOf(3, 'ready'));
  sumCounts([counts, counts]);
  t.strictSame(counts, counted(['ready', 'ready', 'ready']));
  t.strictSame(NO_TASKS, counted([]));
  t.end();
});
