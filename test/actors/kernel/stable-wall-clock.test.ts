import { test } from 'tap';
import { StableWallClock } from '../../../actors/kernel/stable-wall-clock.ts';

/** A wall clock and a monotonic clock that the test sets. */
class Clocks {
  wall = 1_700_000_000_000;
  monotonic = 123.25;
  readonly steady = new StableWallClock(
    () => this.wall,
    () => this.monotonic,
  );

  run(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }
}

test('without drift the clock returns the wall clock in whole milliseconds', (t) => {
  const clocks = new Clocks();
  t.equal(clocks.steady.wall(), 1_700_000_000_000);
  clocks.run(1000);
  t.equal(clocks.steady.tick(), null);
  t.equal(clocks.steady.wall(), 1_700_000_001_000);
  clocks.run(0.6);
  t.equal(clocks.steady.wall(), 1_700_000_001_001);
  t.ok(Number.isInteger(clocks.steady.wall()));
  t.end();
});

test('frequent ticks are not a gap', (t) => {
  const clocks = new Clocks();
  for (let each = 0; each < 10; each++) {
    clocks.run(1);
    t.equal(clocks.steady.tick(), null);
  }
  t.end();
});

test('a tick that is far too late is a stall', (t) => {
  const clocks = new Clocks();
  clocks.run(StableWallClock.tickMs + 5000);
  t.equal(clocks.steady.tick(), null, 'a little late is not a gap');
  clocks.run(StableWallClock.tickMs + 5001);
  t.equal(clocks.steady.tick(), 5001, 'returns the delay');
  clocks.run(1000);
  t.equal(clocks.steady.tick(), null, 'reported once');
  t.end();
});

test('a step of the wall clock is followed at once and is a gap', (t) => {
  for (const step of [3_600_000, -3_600_000]) {
    const clocks = new Clocks();
    clocks.wall += step;
    t.equal(clocks.steady.wall(), 1_700_000_000_000, 'not before the tick: time does not jump within a turn');
    clocks.run(1000);
    t.equal(clocks.steady.tick(), step);
    t.equal(clocks.steady.wall(), 1_700_000_001_000 + step);
    clocks.run(1000);
    t.equal(clocks.steady.tick(), null, 'reported once');
  }
  t.end();
});

test('a small drift is ignored until it exceeds the limit, then followed completely', (t) => {
  const clocks = new Clocks();
  clocks.wall += 600;
  clocks.run(1000);
  t.equal(clocks.steady.tick(), null);
  t.equal(clocks.steady.wall(), 1_700_000_001_000);
  clocks.wall += 600;
  clocks.run(1000);
  t.equal(clocks.steady.tick(), 1200);
  t.equal(clocks.steady.wall(), 1_700_000_003_200);
  t.end();
});

test('a stall together with a step reports the stall and follows the wall clock', (t) => {
  const clocks = new Clocks();
  clocks.wall += 86_400_000;
  clocks.run(60_000);
  t.equal(clocks.steady.tick(), 59_000);
  t.equal(clocks.steady.wall(), 1_700_000_000_000 + 86_400_000 + 60_000);
  t.end();
});
