import * as fc from 'fast-check';
import { test } from 'tap';
import { NO_TASKS } from '../../../src/core/lifecycle/task-counts.ts';
import { countedParts, countsText, fillOf, percentDone } from '../../../web/parts/task-counts.ts';

const STATUSES = ['pending', 'ready', 'assigned', 'running', 'succeeded', 'failed', 'canceled'] as const;

const counts = (change: Partial<Record<(typeof STATUSES)[number] | 'unschedulable', number>>) => {
  const all = { ...NO_TASKS, ...change };
  return { ...all, total: STATUSES.reduce((sum, status) => sum + all[status], 0) };
};

test('unschedulable tasks are separate from the other ready tasks', (t) => {
  t.strictSame(countedParts(counts({ ready: 3, unschedulable: 1, succeeded: 1 })), [
    { part: 'succeeded', count: 1, share: 0.25 },
    { part: 'ready', count: 2, share: 0.5 },
    { part: 'unschedulable', count: 1, share: 0.25 },
  ]);
  t.equal(countsText(counts({ succeeded: 1_200, running: 3 })), '1,200 succeeded, 3 running');
  t.equal(countsText(counts({})), 'no tasks');
  t.end();
});

test('only finished work fills the bar, and tasks that wait or were canceled leave it empty', (t) => {
  const drawn = (change: Parameters<typeof counts>[0]) =>
    countedParts(counts(change))
      .map(({ part }) => [part, fillOf(part)])
      .filter(([, fill]) => fill !== 'empty');
  t.strictSame(drawn({ pending: 4, ready: 3, unschedulable: 1 }), []);
  t.strictSame(drawn({ canceled: 9 }), []);
  t.strictSame(drawn({ succeeded: 1, running: 1, assigned: 1, failed: 1, canceled: 1, ready: 5 }), [
    ['succeeded', 'solid'],
    ['failed', 'solid'],
    ['running', 'pale'],
    ['assigned', 'pale'],
  ]);
  t.end();
});

test('the parts add up to the whole bar', (t) => {
  const number = fc.nat({ max: 1_000 });
  fc.assert(
    fc.property(
      fc.record({
        pending: number,
        ready: number,
        assigned: number,
        running: number,
        succeeded: number,
        failed: number,
        canceled: number,
      }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (base, share) => {
        const all = counts({ ...base, unschedulable: Math.floor(base.ready * share) });
        const sum = countedParts(all).reduce((total, { count }) => total + count, 0);
        t.equal(sum, all.total);
      },
    ),
    { numRuns: 100 },
  );
  t.end();
});

test('100 percent only if all tasks have succeeded', (t) => {
  t.equal(percentDone({ succeeded: 999, total: 1_000 }), 99);
  t.equal(percentDone({ succeeded: 1_000, total: 1_000 }), 100);
  t.equal(percentDone({ succeeded: 0, total: 0 }), 0);
  t.end();
});
