import fc from 'fast-check';
import { test } from 'tap';
import { TimerHeap } from '../../../actors/kernel/timer-heap.ts';

type Move =
  | { readonly do: 'set'; readonly key: string; readonly dueAt: number }
  | { readonly do: 'cancel'; readonly key: string }
  | { readonly do: 'take'; readonly now: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('set' as const), key, dueAt: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const), now: fc.nat(10) }) },
);

test('the heap behaves like a plain list of timers', (t) => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 80, size: 'max' }), (moves) => {
      const heap = new TimerHeap<number>();
      let naive: { key: string; dueAt: number; payload: number }[] = [];
      for (const [number, each] of moves.entries()) {
        switch (each.do) {
          case 'set':
            heap.set(each.key, each.dueAt, number);
            naive = naive.filter((timer) => timer.key !== each.key);
            naive.push({ key: each.key, dueAt: each.dueAt, payload: number });
            break;
          case 'cancel':
            heap.cancel(each.key);
            naive = naive.filter((timer) => timer.key !== each.key);
            break;
          case 'take': {
            const first = [...naive].sort((a, b) => a.dueAt - b.dueAt || a.payload - b.payload)[0];
            const wanted = first !== undefined && first.dueAt <= each.now ? first : null;
            const taken = heap.takeDue(each.now);
            if (taken?.payload !== wanted?.payload || taken?.key !== wanted?.key) return false;
            naive = naive.filter((timer) => timer !== wanted);
            break;
          }
        }
        const next = naive.reduce<number | null>(
          (min, { dueAt }) => (min === null || dueAt < min ? dueAt : min),
          null,
        );
        if (heap.nextDueAt() !== next) return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
  t.end();
});

test('canceled timers of the far future do not accumulate', (t) => {
  const timers = new TimerHeap<number>();
  for (let at = 0; at < 100; at++) timers.set(`kept ${at}`, 1000 + at, at);
  for (let at = 0; at < 50_000; at++) {
    timers.set(`task ${at}`, 86_400_000, at);
    timers.cancel(`task ${at}`);
  }
  t.ok(timers.size < 2000, `the heap has ${timers.size} entries`);
  const taken: number[] = [];
  for (let timer = timers.takeDue(2000); timer !== null; timer = timers.takeDue(2000))
    taken.push(timer.payload);
  t.same(
    taken,
    Array.from({ length: 100 }, (_unused, at) => at),
  );
  t.equal(timers.nextDueAt(), null);
  t.end();
});
