import { test } from 'tap';
import { backoffMs } from '../../../src/adapters/nats/backoff.ts';
import { CONNECTION_LIMITS } from '../../../src/adapters/nats/limits.ts';

const { msMin, msMax } = CONNECTION_LIMITS.workerRedial;
const DRAWS = 2000;

/** Delays of many workers that were disconnected at the same moment. */
const waits = (failures: number): readonly number[] =>
  Array.from({ length: DRAWS }, () => backoffMs(failures, msMin, msMax));

test('delays grow up to a limit, and half of each is random', (t) => {
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

test('thousands of workers that are disconnected together do not reconnect together', (t) => {
  // Any tenth of the reconnect period contains about a tenth of the workers.
  const tenths = new Map<number, number>();
  for (const wait of waits(1)) {
    const tenth = Math.min(9, Math.floor(((wait - msMin / 2) / (msMin / 2)) * 10));
    tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
  }
  t.equal(tenths.size, 10);
  t.ok(Math.max(...tenths.values()) < DRAWS / 5);
  t.end();
});
