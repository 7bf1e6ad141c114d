import * as fc from 'fast-check';
import { test } from 'tap';
import { Coalescer } from '../../../web/state/coalescer.ts';

/** A coalescer with a manual clock. */
function harness() {
  const delivered: number[][] = [];
  let overflows = 0;
  let now = 0;
  let isHeld = false;
  let timer: { at: number; act: () => void } | null = null;
  const coalescer = new Coalescer<number>({
    everyMs: 250,
    deliver: (items) => delivered.push([...items]),
    overflow: () => overflows++,
    isPaused: () => isHeld,
    now: () => now,
    later: (act, ms) => {
      timer = { at: now + ms, act };
      return () => (timer = null);
    },
  });
  const pass = (ms: number): void => {
    const end = now + ms;
    while (timer !== null && timer.at <= end) {
      const due = timer;
      timer = null;
      now = Math.max(now, due.at);
      due.act();
    }
    now = end;
  };
  const hold = (held: boolean): void => {
    isHeld = held;
    if (!held) coalescer.resume();
  };
  return { coalescer, delivered, pass, hold, overflows: () => overflows };
}

test('delivers the first item at once, and later ones together after 250 ms', (t) => {
  const { coalescer, delivered, pass } = harness();
  coalescer.add([1]);
  pass(0);
  t.strictSame(delivered, [[1]]);
  coalescer.add([2]);
  coalescer.add([3, 4]);
  pass(249);
  t.strictSame(delivered, [[1]]);
  pass(1);
  t.strictSame(delivered, [[1], [2, 3, 4]]);
  t.end();
});

test('delivers nothing while paused, and reports too many items as lost', (t) => {
  const { coalescer, delivered, pass, hold, overflows } = harness();
  hold(true);
  coalescer.add([1, 2]);
  pass(10_000);
  t.strictSame(delivered, []);
  hold(false);
  pass(0);
  t.strictSame(delivered, [[1, 2]]);
  hold(true);
  for (let batch = 0; batch < 11; batch++) coalescer.add(Array.from({ length: 1_000 }, () => batch));
  hold(false);
  pass(1_000);
  t.equal(overflows(), 1);
  t.equal(delivered.length, 1, 'dropped items are not delivered in part');
  t.end();
});

test('delivers each item once, in order, at most every 250 ms', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 5 }))),
      (steps) => {
        const { coalescer, delivered, pass } = harness();
        let next = 0;
        let passed = 0;
        for (const [ms, count] of steps) {
          coalescer.add(Array.from({ length: count }, () => next++));
          pass(ms);
          passed += ms;
        }
        pass(250);
        passed += 250;
        t.strictSame(
          delivered.flat(),
          Array.from({ length: next }, (_unused, index) => index),
        );
        t.ok(delivered.length <= 1 + Math.floor(passed / 250));
      },
    ),
    { numRuns: 200 },
  );
  t.end();
});

test('delivers nothing after close', (t) => {
  const { coalescer, delivered, pass } = harness();
  coalescer.add([1]);
  coalescer.close();
  coalescer.add([2]);
  pass(1_000);
  t.strictSame(delivered, []);
  t.end();
});
