import tap, { test } from 'tap';
import { MUTANTS } from './mutants.ts';
import { simulate } from './simulation.ts';

tap.setTimeout(600_000);

const SEEDS = 200;
/** Every so many seeds one is run twice. */
const TWICE_EACH = 50;
const SEEDS_TO_FIND_A_BUG = 1_500;

test(`${SEEDS} random farms are sound, and the same seed makes the same farm`, (t) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const result = simulate(seed);
    t.equal(result.violation?.message, undefined, `npm run simulate -- --seed ${seed} --trace`);
    if (seed % TWICE_EACH === 0) t.equal(simulate(seed).digest, result.digest, `seed ${seed} again`);
  }
  t.end();
});

for (const bug of MUTANTS) {
  test(`the simulation finds a planted bug: ${bug.name}`, (t) => {
    let seeds = 1;
    while (seeds <= SEEDS_TO_FIND_A_BUG && simulate(seeds, bug).violation === null) seeds++;
    t.ok(seeds <= SEEDS_TO_FIND_A_BUG, `found after ${seeds} seeds`);
    t.end();
  });
}
