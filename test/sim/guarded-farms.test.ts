import tap, { test } from 'tap';
import { rounds } from '../kit/rounds.ts';
import { withAllGuards } from './options.ts';
import { simulate } from './simulation.ts';

tap.setTimeout(600_000);

/** Seeds that have found a bug. */
const FOUND = [74, 92, 94, 263];

test('farms with quarantine, canary tasks and outage holds, and common causes of failures, keep every invariant', (t) => {
  const seeds = Array.from({ length: rounds(30, 300) }, (_, at) => at + 1);
  for (const seed of new Set([...seeds, ...FOUND])) {
    const { violation } = simulate(seed, { options: withAllGuards });
    t.equal(violation?.message, undefined, `npm run simulate -- --seed ${seed} --guards --trace`);
  }
  t.end();
});
