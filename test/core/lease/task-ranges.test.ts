import fc from 'fast-check';
import { test } from 'tap';
import { TaskRanges, type TaskRange } from '../../../src/core/lease/task-ranges.ts';

const SPAN = 40;

type Step =
  | { readonly do: 'add'; readonly range: TaskRange }
  | { readonly do: 'remove'; readonly index: number }
  | { readonly do: 'takeFirst'; readonly howMany: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    range: fc.record({ start: fc.nat(SPAN - 1), count: fc.integer({ min: -1, max: 9 }) }),
  }),
  fc.record({ do: fc.constant('remove' as const), index: fc.nat(SPAN - 1) }),
  fc.record({ do: fc.constant('takeFirst' as const), howMany: fc.nat(12) }),
);

/** Returns the sorted, disjoint runs of a set, as few as possible. */
function runsOf(set: ReadonlySet<number>): TaskRange[] {
  const runs: { start: number; count: number }[] = [];
  for (const index of [...set].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.count === index) last.count++;
    else runs.push({ start: index, count: 1 });
  }
  return runs;
}

const indicesOf = (ranges: Iterable<TaskRange>): number[] =>
  [...ranges].flatMap(({ start, count }) =>
    Array.from({ length: Math.max(0, count) }, (_, each) => start + each),
  );

test('task ranges behave like a set of numbers', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const ranges = new TaskRanges();
      const oracle = new Set<number>();
      for (const each of steps) {
        switch (each.do) {
          case 'add':
            ranges.add(each.range);
            for (const index of indicesOf([each.range])) oracle.add(index);
            break;
          case 'remove':
            if (ranges.remove(each.index) !== oracle.delete(each.index)) return false;
            break;
          case 'takeFirst': {
            const wanted = [...oracle].sort((a, b) => a - b).slice(0, each.howMany);
            for (const index of wanted) oracle.delete(index);
            if (JSON.stringify(indicesOf(ranges.takeFirst(each.howMany))) !== JSON.stringify(wanted))
              return false;
            break;
          }
        }
        if (ranges.size !== oracle.size) return false;
        if (JSON.stringify([...ranges]) !== JSON.stringify(runsOf(oracle))) return false;
        for (let index = 0; index < SPAN + 10; index++) {
          if (ranges.has(index) !== oracle.has(index)) return false;
        }
      }
      return true;
    }),
    { numRuns: 500 },
  );
  t.end();
});

test('adjacent ranges are joined', (t) => {
  const ranges = new TaskRanges([
    { start: 10, count: 5 },
    { start: 0, count: 5 },
    { start: 5, count: 5 },
    { start: 20, count: 0 },
  ]);
  t.strictSame([...ranges], [{ start: 0, count: 15 }]);
  t.equal(ranges.size, 15);
  t.end();
});

test('taking the first of a million, until the set is empty', (t) => {
  const ranges = new TaskRanges([{ start: 0, count: 1_000_000 }]);
  t.strictSame(ranges.takeFirst(3), [{ start: 0, count: 3 }]);
  t.strictSame([...ranges], [{ start: 3, count: 999_997 }]);
  t.strictSame(ranges.takeFirst(Infinity), [{ start: 3, count: 999_997 }]);
  t.equal(ranges.size, 0);
  t.strictSame(ranges.takeFirst(1), [], 'the set is empty');
  t.strictSame(ranges.takeFirst(0), []);
  t.end();
});

test('returned ranges are copies', (t) => {
  const ranges = new TaskRanges([{ start: 0, count: 3 }]);
  const [first] = [...ranges];
  Object.assign(first ?? {}, { count: 99 });
  t.strictSame([...ranges], [{ start: 0, count: 3 }]);
  t.end();
});
