import * as fc from 'fast-check';
import { test } from 'tap';
import {
  panned,
  showing,
  tickForm,
  ticksOf,
  wholeView,
  within,
  zoomed,
} from '../../../../web/parts/timeline/time-view.ts';

const WHOLE = { from: 0, to: 100_000 };

test('a view is never empty', (t) => {
  t.strictSame(wholeView(5, 5), { from: 5, to: 1_005 });
  t.strictSame(wholeView(0, 100_000), WHOLE);
  t.end();
});

test('zooming keeps the time under the pointer in place', (t) => {
  t.strictSame(zoomed(WHOLE, WHOLE, 2, 50_000), { from: 25_000, to: 75_000 });
  t.strictSame(zoomed(WHOLE, WHOLE, 2, 0), { from: 0, to: 50_000 });
  t.equal(zoomed({ from: 10_000, to: 60_000 }, WHOLE, 0.1, 30_000), null, 'the whole timeline');
  t.strictSame(zoomed({ from: 10_000, to: 11_000 }, WHOLE, 8, 10_500), { from: 10_000, to: 11_000 });
  t.end();
});

test('a view stays within the timeline', (t) => {
  t.strictSame(panned({ from: 10_000, to: 20_000 }, WHOLE, -50_000), { from: 0, to: 10_000 });
  t.strictSame(panned({ from: 10_000, to: 20_000 }, WHOLE, 500_000), { from: 90_000, to: 100_000 });
  t.equal(within({ from: -10, to: 200_000 }, WHOLE), null);
  t.end();
});

test('a view moves as little as necessary to show an item', (t) => {
  const view = { from: 20_000, to: 30_000 };
  t.strictSame(showing(view, WHOLE, 22_000, 25_000), view);
  t.strictSame(showing(view, WHOLE, 10_000, 12_000), { from: 10_000, to: 20_000 });
  t.strictSame(showing(view, WHOLE, 33_000, 35_000), { from: 25_000, to: 35_000 });
  t.strictSame(showing(view, WHOLE, 40_000, 90_000), { from: 40_000, to: 50_000 }, 'at least its start');
  t.end();
});

test('ticks are round local times', (t) => {
  t.strictSame(ticksOf({ from: 500, to: 20_000 }, 4, 0), {
    step: 5_000,
    times: [5_000, 10_000, 15_000, 20_000],
  });
  const hours = ticksOf({ from: 0, to: 24 * 3_600_000 }, 4, 1_800_000);
  t.equal(hours.step, 6 * 3_600_000);
  t.strictSame(
    hours.times.map((time) => (time + 1_800_000) % hours.step),
    [0, 0, 0, 0],
  );
  t.strictSame([tickForm(1_000), tickForm(60_000), tickForm(86_400_000)], ['second', 'minute', 'day']);
  t.end();
});

test('ticks never exceed the available room', (t) => {
  fc.assert(
    fc.property(
      fc.nat(4e12),
      fc.integer({ min: 1_000, max: 1e12 }),
      fc.integer({ min: 1, max: 40 }),
      (from, span, room) => {
        const { times } = ticksOf({ from, to: from + span }, room, 3_600_000);
        t.ok(times.length <= room + 1, `${times.length} of ${room}`);
      },
    ),
    { numRuns: 200 },
  );
  t.end();
});
