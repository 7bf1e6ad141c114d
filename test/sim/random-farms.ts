import tap, { test } from 'tap';
import { simulate } from './simulation.ts';

const TIMEOUT_MS = 300_000;
/** Every n-th seed runs twice. */
const SEEDS_PER_REPEAT = 50;

/**
 * Tests that the farms of a range of seeds keep every invariant, and that a seed always produces the same run. The
 * ranges are in separate files to run in parallel.
 */
export function testRandomFarms(first: number, last: number): void {
  tap.setTimeout(TIMEOUT_MS);
  test(`random farms ${first} to ${last} keep every invariant and are reproducible`, (t) => {
    for (let seed = first; seed <= last; seed++) {
      const result = simulate(seed);
      t.equal(result.violation?.message, undefined, `npm run simulate -- --seed ${seed} --trace`);
      if (seed % SEEDS_PER_REPEAT === 0)
        t.equal(simulate(seed).digest, result.digest, `seed ${seed} runs twice`);
    }
    t.end();
  });
}
