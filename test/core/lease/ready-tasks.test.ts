import fc from 'fast-check';
import { test } from 'tap';
import { workerId } from '../../../src/core/ids.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';

const [A, B] = [workerId('a'), workerId('b')] as const;

test('tasks that workers have failed keep their position among the others', (t) => {
  const ready = new ReadyTasks();
  for (const index of [2, 7, 8]) ready.add({ start: index, count: 1 }, 0, [A]);
  ready.add({ start: 5, count: 1 }, 0, [A, B]);
  ready.add({ start: 9, count: 3 }, 0);
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
      for (const each of all) ready.add({ start: each.index, count: 1 }, 0, each.avoided);
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

type Model = Map<number, { readonly avoided: readonly string[]; readonly since: number }>;

const indicesIn = (ranges: readonly { readonly start: number; readonly count: number }[]): number[] =>
  ranges.flatMap(({ start, count }) => Array.from({ length: count }, (_, offset) => start + offset));

test('a set of ready tasks equals a plain list after any changes', (t) => {
  const avoided = fc.constantFrom([], [A], [B], [A, B], [B, A]);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ op: fc.constant('add' as const), index: fc.nat(20), since: fc.nat(4), avoided }),
    },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('remove' as const), index: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('take' as const), howMany: fc.nat(4) }) },
  );
  const allowsA = (avoiding: readonly string[]): boolean => !avoiding.includes(A);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const ready = new ReadyTasks();
      const model: Model = new Map();
      const avoidedBy = (index: number): readonly string[] => model.get(index)?.avoided ?? [];
      const inOrder = (): number[] => [...model.keys()].sort((a, b) => a - b);
      for (const each of steps) {
        if (each.op === 'add') {
          if (model.has(each.index)) continue;
          ready.add({ start: each.index, count: 1 }, each.since, each.avoided);
          model.set(each.index, each);
        } else if (each.op === 'remove') {
          t.equal(ready.remove(each.index), model.delete(each.index));
        } else {
          const wanted = inOrder()
            .filter((index) => allowsA(avoidedBy(index)))
            .slice(0, each.howMany);
          t.same(indicesIn(ready.takeFirst(each.howMany, allowsA)), wanted);
          for (const index of wanted) model.delete(index);
        }
        t.equal(ready.size, model.size);
        const all = [...model.values()];
        t.equal(ready.avoiding, all.filter((one) => one.avoided.length > 0).length);
        t.equal(ready.countFor(allowsA), all.filter((one) => allowsA(one.avoided)).length);
        t.equal(ready.since, Math.min(...all.map(({ since }) => since)));
        for (const index of [0, 5, 10, 21]) {
          t.equal(ready.countBelow(index), inOrder().filter((other) => other < index).length);
          t.equal(ready.has(index), model.has(index));
          t.same([...ready.avoidedBy(index)].sort(), [...avoidedBy(index)].sort());
        }
      }
      ready.clear();
      t.equal(ready.size + ready.avoiding, 0);
      t.equal(ready.since, Infinity);
    }),
    { numRuns: 60 },
  );
  t.end();
});
