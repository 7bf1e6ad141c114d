import fc from 'fast-check';
import { test } from 'tap';
import { workerId } from '../../../src/core/ids.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';

const [A, B] = [workerId('a'), workerId('b')] as const;

test('tasks that workers have failed keep their position among the others', (t) => {
  const ready = new ReadyTasks();
  for (const index of [2, 7, 8]) ready.add({ start: index, count: 1 }, [A]);
  ready.add({ start: 5, count: 1 }, [A, B]);
  ready.add({ start: 9, count: 3 });
  t.same(
    ready.takeFirst(3, () => true),
    [
      { start: 2, count: 1 },
      { start: 5, count: 1 },
      { start: 7, count: 1 },
    ],
  );
  t.equal(ready.size, 4);
  t.equal(ready.avoiding, 1);
  t.end();
});

test('takes the lowest allowed tasks, regardless of the workers they failed on', (t) => {
  const avoided = fc.constantFrom([], [A], [B], [A, B]);
  const tasks = fc.uniqueArray(fc.record({ index: fc.nat(30), avoided }), { selector: ({ index }) => index });
  fc.assert(
    fc.property(tasks, fc.nat(35), fc.constantFrom(A, B), (all, howMany, worker) => {
      const ready = new ReadyTasks();
      for (const each of all) ready.add({ start: each.index, count: 1 }, each.avoided);
      const allows = (avoiding: readonly string[]): boolean => !avoiding.includes(worker);
      const allowed = all.filter((each) => allows(each.avoided)).map(({ index }) => index);
      const expected = allowed.sort((a, b) => a - b).slice(0, howMany);
      const taken = ready.takeFirst(howMany, allows);
      t.same(
        taken.flatMap(({ start, count }) => Array.from({ length: count }, (_, offset) => start + offset)),
        expected,
      );
      const left = all.filter(({ index }) => !expected.includes(index));
      t.equal(ready.size, left.length);
      t.equal(ready.avoiding, left.filter((each) => each.avoided.length > 0).length);
    }),
  );
  t.end();
});
