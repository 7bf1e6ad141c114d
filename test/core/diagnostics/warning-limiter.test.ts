import fc from 'fast-check';
import { test } from 'tap';
import {
  WarningLimiter,
  WARNINGS_PER_WINDOW,
  WINDOW_MS,
} from '../../../src/core/diagnostics/warning-limiter.ts';

const LATER = { all: false };

test('a kind is limited in its window, and the rest is counted', async (t) => {
  const limiter = new WarningLimiter();
  const admitted = Array.from({ length: 1000 }, (_, n) =>
    limiter.admit(`message ${n} of "w${n}" is invalid`, n),
  );
  t.equal(admitted.filter(Boolean).length, WARNINGS_PER_WINDOW);
  t.equal(admitted.lastIndexOf(true), WARNINGS_PER_WINDOW - 1, 'the first ones');
  t.ok(limiter.admit('the disk is nearly full', 5), 'another kind is not affected');
  t.strictSame(limiter.takeDropped(WINDOW_MS - 1, LATER), []);
  t.strictSame(limiter.takeDropped(WINDOW_MS, LATER), [
    { text: 'message 0 of "w0" is invalid', dropped: 900, windowMs: WINDOW_MS },
  ]);
  t.ok(limiter.admit('message 1 of "w1" is invalid', WINDOW_MS), 'a new window begins');
  t.strictSame(limiter.takeDropped(9 * WINDOW_MS, LATER), [], 'and nothing was dropped in it');
});

test('every warning is admitted or counted once, and memory is limited', async (t) => {
  const word = fc.stringMatching(/^[g-z]{1,3}$/);
  const step = fc.record({ text: word, repeat: fc.integer({ min: 1, max: 300 }), pass: fc.nat(WINDOW_MS) });
  let dropped = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 400, size: 'max' }), (steps) => {
      const limiter = new WarningLimiter();
      let now = 0;
      let sent = 0;
      let logged = 0;
      let counted = 0;
      let kinds = 0;
      const take = (all: boolean): void => {
        for (const each of limiter.takeDropped(now, { all })) {
          counted += each.dropped;
          kinds++;
        }
      };
      for (const { text, repeat, pass } of steps) {
        for (let n = 0; n < repeat; n++) {
          sent++;
          if (limiter.admit(`${text} ${n}`, now)) logged++;
        }
        now += pass;
        take(false);
      }
      take(true);
      dropped += counted;
      return sent === logged + counted && kinds <= steps.length + 1;
    }),
    { numRuns: 100 },
  );
  t.ok(dropped > 1000, `${dropped} warnings were dropped`);
});

test('beyond 200 kinds, all others share one', async (t) => {
  const limiter = new WarningLimiter();
  const nameOf = (n: number): string => 'g'.repeat(1 + (n % 15)) + ' ' + 'h'.repeat(1 + Math.floor(n / 15));
  const admitted = Array.from({ length: 450 }, (_, n) => limiter.admit(nameOf(n), 0)).filter(Boolean).length;
  t.equal(admitted, 200 + WARNINGS_PER_WINDOW);
  t.match(limiter.takeDropped(0, { all: true }), [{ text: 'warnings of other kinds', dropped: 150 }]);
});
