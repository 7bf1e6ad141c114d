import { test } from 'tap';
import { StableWallClock } from '../../../actors/kernel/stable-wall-clock.ts';

/** A wall clock and a monotonic clock in the hands of the test. */
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

test('with both clocks in step it is the wall clock, whole', (t) => {
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

test('ticks that come often are no gap', (t) => {
  const clocks = new Clocks();
  for (let each = 0; each < 10; each++) {
    clocks.run(1);
    t.equal(clocks.steady.tick(), null);
  }
  t.end();
});

test('a tick that comes far too late is a stall', (t) => {
  const clocks = new Clocks();
  clocks.run(StableWallClock.tickMs + 5000);
  t.equal(clocks.steady.tick(), null, 'a little late is not');
  clocks.run(StableWallClock.tickMs + 5001);
  t.equal(clocks.steady.tick(), 5001, 'how late');
  clocks.run(1000);
  t.equal(clocks.steady.tick(), null, 'told once');
  t.end();
});

test('a step of the wall clock is followed at once, and is a gap', (t) => {
  for (const step of [3_600_000, -3_600_000]) {
    const clocks = new Clocks();
    clocks.wall += step;
    t.equal(clocks.steady.wall(), 1_700_000_000_000, 'not before the tick: time does not jump inside a turn');
    clocks.run(1000);
    t.equal(clocks.steady.tick(), step);
    t.equal(clocks.steady.wall(), 1_700_000_001_000 + step);
    clocks.run(1000);
    t.equal(clocks.steady.tick(), null, 'told once');
  }
  t.end();
});

test('a small drift is left alone until it has grown, then followed whole', (t) => {
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

test('a stall and a step at once: the stall is told, the wall clock followed', (t) => {
  const clocks = new Clocks();
  clocks.wall += 86_400_000;
  clocks.run(60_000);
  t.equal(clocks.steady.tick(), 59_000);
  t.equal(clocks.steady.wall(), 1_700_000_000_000 + 86_400_000 + 60_000);
  t.end();
});
