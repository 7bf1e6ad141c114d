import fc from 'fast-check';
import { test } from 'tap';
import { ReplayRing } from '../../../http/ws/replay-ring.ts';

const START = 1000;

void test('a ring retains the end of a list', async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 80, size: 'max' }),
      (depth, weightMax, weights) => {
        const ring = new ReplayRing('jobs', START, depth, weightMax);
        const kept: { seq: number; weight: number }[] = [];
        for (const [index, weight] of weights.entries()) {
          ring.push({ index }, weight);
          kept.push({ seq: START + 1 + index, weight });
          if (kept.length > depth) kept.shift();
          while (kept.length > 1 && kept.reduce((sum, each) => sum + each.weight, 0) > weightMax)
            kept.shift();
          t.equal(ring.last, START + 1 + index);
          t.equal(ring.oldest, kept[0]?.seq);
          for (let seq = ring.oldest; seq <= ring.last; seq++) {
            t.strictSame(JSON.parse(ring.frameOf(seq)), {
              type: 'push',
              subject: 'jobs',
              seq,
              payload: { index: seq - START - 1 },
            });
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

void test('an empty ring retains nothing', async (t) => {
  const ring = new ReplayRing('jobs', START, 3, 10);
  t.equal(ring.last, START);
  t.equal(ring.oldest, START + 1);
  t.throws(() => ring.frameOf(START + 1), /the event 1001 of jobs is not kept/);
});

void test('if all events are oversized, the newest one is retained', async (t) => {
  const ring = new ReplayRing('jobs', START, 3, 10);
  ring.push({ a: 1 }, 5);
  ring.push({ a: 2 }, 5);
  t.equal(ring.oldest, START + 1);
  ring.push({ a: 3 }, 1);
  t.equal(ring.oldest, START + 2);
  ring.push({ a: 4 }, 100);
  t.equal(ring.oldest, START + 4);
  ring.push({ a: 5 }, 0);
  t.equal(ring.oldest, START + 5, 'which has no weight, unlike the previous one');
});
