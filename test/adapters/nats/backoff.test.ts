import { test } from 'tap';
import { backoffMs } from '../../../src/adapters/nats/backoff.ts';
import { CONNECTION_LIMITS } from '../../../src/adapters/nats/limits.ts';

const { msMin, msMax } = CONNECTION_LIMITS.workerRedial;
const DRAWS = 2000;

/** Waits of many workers that were all cut off in the same moment. */
const waits = (failures: number): readonly number[] =>
  Array.from({ length: DRAWS }, () => backoffMs(failures, msMin, msMax));

test('waits grow up to a bound, and half of each is left to chance', (t) => {
  for (const [failures, full] of [
    [1, msMin],
    [2, 2 * msMin],
    [3, 4 * msMin],
    [4, msMax],
    [1000, msMax],
  ] as const) {
    const all = waits(failures);
    t.ok(
      all.every((wait) => wait >= full / 2 && wait <= full),
      `after ${failures} failures`,
    );
  }
  t.end();
});

test('thousands of workers that are cut off at once do not come back at once', (t) => {
  // A tenth of the time in which they come holds about a tenth of them: far from all.
  const tenths = new Map<number, number>();
  for (const wait of waits(1)) {
    const tenth = Math.min(9, Math.floor(((wait - msMin / 2) / (msMin / 2)) * 10));
    tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
  }
  t.equal(tenths.size, 10);
  t.ok(Math.max(...tenths.values()) < DRAWS / 5);
  t.end();
});
